"""Where agents keep their settings, and how an entry of ours comes in and out again without touching the rest."""
