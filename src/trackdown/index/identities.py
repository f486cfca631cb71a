"""File identities: which path a file has in the snapshot searched, whatever it was called when a commit touched it.

System 1 of the literature this project unites calls it the FID. A rename is an event (position in history, old path,
new path); a path at a position is followed through later renames until none is left.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]


class Identities:
    """The renames in the history of one commit, ready to be followed.

    Paths are numbers. Positions grow from ancestors to descendants.
    """

    def __init__(self, positions: Int64s, old: Int64s, new: Int64s) -> None:
        order = np.lexsort((positions, old))
        self._old, positions, new = old[order], positions[order], new[order]
        self._span = int(positions.max(initial=0)) + 2
        self._keys = self._old * self._span + positions
        # Each rename leads on to the next one of its new path; doubling the steps follows all chains at once.
        following = self._next(new, positions)
        final = new.copy()
        for _ in range(64):
            going = following >= 0
            if not going.any():
                break
            final[going] = final[following[going]]
            ahead = following.copy()
            ahead[going] = following[following[going]]
            following = ahead
        self._final = final

    def _next(self, paths: Int64s, positions: Int64s) -> Int64s:
        """The index of the first rename of each path after its position, or -1."""
        if not len(self._keys):
            return np.full(len(paths), -1, dtype=np.int64)
        place = np.searchsorted(self._keys, paths * self._span + np.minimum(positions, self._span - 1), side="right")
        inside = np.minimum(place, len(self._keys) - 1)
        return np.where((place < len(self._keys)) & (self._old[inside] == paths), inside, -1)

    def present(self, paths: Int64s, positions: Int64s) -> Int64s:
        """The last path of each (path, position)."""
        found = self._next(paths, positions)
        return np.where(found >= 0, self._final[found], paths) if len(self._final) else paths

    def last_resort(self, paths: Int64s) -> Int64s:
        """Where each path's last rename led, at any position: side branches may use the old name even later."""
        if not len(self._keys):
            return paths
        place = np.searchsorted(self._old, paths, side="right") - 1
        known = (place >= 0) & (self._old[place] == paths)
        return np.where(known, self._final[place], paths)
