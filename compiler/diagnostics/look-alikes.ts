/** Characters that cannot be told by looking from others, or not be seen: what pasted texts and other keyboards leave behind. */

const names: readonly (readonly [RegExp, string])[] = [
  [/[\u00a0\u2007\u202f]/, "a no-break space, which looks like a space"],
  [/[\u200b-\u200d\u2060\ufeff]/, "a character without width"],
  [/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/, "a mark that changes the direction of text"],
  [/[\u2000-\u2006\u2008-\u200a\u205f\u3000]/, "a space of another width"],
  [/[\u2018\u2019\u201a\u2032]/, "a typographic quote in place of '"],
  [/[\u201c\u201d\u201e\u2033\u00ab\u00bb]/, 'a typographic quote in place of "'],
  [/[\u2010-\u2015\u2212]/, "a dash in place of -"],
  [/\uff1a/, "a wide colon in place of :"],
];

/** Letters by the Latin ones that they look like. */
const letters: readonly (readonly [string, string, string])[] = [
  ["Cyrillic", "асеорхуіјѕԁһАВСЕНІЈКМОРЅТХ", "aceopxyijsdhABCEHIJKMOPSTX"],
  ["Greek", "ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovABEZHIKMNOPTYX"],
];

export interface LookAlike {
  readonly at: number;
  /** `a no-break space, which looks like a space (U+00A0)`. */
  readonly words: string;
}

/** The first one in a text. */
export function lookAlikeIn(text: string): LookAlike | undefined {
  const at = text.search(/[^\t\n\r -~]/);
  if (at < 0) return undefined;
  for (let place = at; place < text.length; place++) {
    const words = wordsFor(text.charAt(place));
    if (words !== undefined) return { at: place, words };
  }
  return undefined;
}

function wordsFor(character: string): string | undefined {
  const code = `(U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")})`;
  const [, name] = names.find(([form]) => form.test(character)) ?? [];
  if (name !== undefined) return `${name} ${code}`;
  for (const [script, own, latin] of letters) {
    const number = own.indexOf(character);
    if (number >= 0) return `a ${script} letter that looks like '${latin.charAt(number)}' ${code}`;
  }
  return undefined;
}
