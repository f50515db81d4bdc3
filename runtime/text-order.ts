/** Orders strings by code point: negative when `a` comes first. (JavaScript's `<` orders by UTF-16 unit.) */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at);
    if (difference !== 0) return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above every other unit. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
