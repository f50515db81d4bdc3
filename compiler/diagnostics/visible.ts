/** Control characters, and those that change how the text around them is shown. */
export const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Names and values of a configuration cannot forge lines, or speak to the terminal. */
export function visible(text: string): string {
  return text.replace(invisible, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
