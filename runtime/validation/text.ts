/** Length of a string in code points, as `minLength` and `maxLength` count. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const pair = isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1));
    if (pair) {
      length--;
      at++;
    }
  }
  return length;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
