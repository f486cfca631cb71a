// Text in addresses. A path of a repository may hold bytes that are no UTF-8; they come as lone surrogates (U+DC80 to
// U+DCFF), and in an address each is written as the byte it stands for.

const LONE = /(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/g;

/** Text for an address. */
export const encode = (text) => {
  let found = "",
    end = 0;
  for (const match of text.matchAll(LONE)) {
    const unit = match[0].charCodeAt(0);
    found += encodeURIComponent(text.slice(end, match.index));
    found += unit >= 0xdc80 && unit <= 0xdcff ? `%${(unit - 0xdc00).toString(16).toUpperCase()}` : "%EF%BF%BD";
    end = match.index + 1;
  }
  return found + encodeURIComponent(text.slice(end));
};

/** The text that was encoded. */
export const decode = (text) => {
  const spaced = text.replace(/\+/g, " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    /* bytes that are no UTF-8 */
  }
  return spaced.replace(/(?:%[\da-f]{2})+/gi, (run) => {
    const bytes = Uint8Array.from(run.slice(1).split("%"), (pair) => parseInt(pair, 16));
    return Array.from({ length: bytes.length }, (_, at) => at).reduce(
      ([said, next], at) => {
        if (at < next) return [said, next];
        for (let length = 4; length >= 1; length -= 1) {
          try {
            return [
              said + new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(at, at + length)),
              at + length,
            ];
          } catch {
            /* not so many bytes */
          }
        }
        return [said + String.fromCharCode(0xdc00 + bytes[at]), at + 1];
      },
      ["", 0],
    )[0];
  });
};

/** Pairs [name, value] as the parameters of an address. */
export const parameters = (pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(String(value))}`).join("&");

/** The pairs of an address's parameters. */
export const pairsOf = (text) =>
  text
    .split("&")
    .filter(Boolean)
    .map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
    });
