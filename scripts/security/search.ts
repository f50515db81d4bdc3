/** Looks for secrets in bytes, in every form that a program may have given them. */

/** The forms of a text: as it is, and as encodings leave it. */
export function formsOf(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const wide = Buffer.from(text, "utf16le");
  const forms = [
    bytes,
    wide,
    Buffer.from(bytes.toString("hex")),
    Buffer.from(bytes.toString("hex").toUpperCase()),
    Buffer.from(encodeURIComponent(text)),
    Buffer.from(new URLSearchParams([["", text]]).toString().slice(1)),
    Buffer.from(JSON.stringify(text).slice(1, -1)),
    Buffer.from(JSON.stringify(JSON.stringify(text)).slice(3, -3)),
    ...base64Of(bytes),
    ...ofToken(text),
  ];
  return forms.filter((form) => form.length >= 8);
}

/** Base64 as it stands inside of that of a longer text, wherever it begins there. */
function base64Of(bytes: Buffer): readonly Buffer[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    // Without the characters that share bits with what stands around.
    const start = [0, 2, 3][before] ?? 0;
    const end = Math.floor((padded.length * 8) / 6);
    return (["base64", "base64url"] as const).map((encoding) =>
      Buffer.from(padded.toString(encoding).slice(start, end)),
    );
  });
}

/** The random part of a token alone: its characters, the bytes that they stand for, and those in hexadecimal. */
function ofToken(text: string): readonly Buffer[] {
  const [, random] = /^sv[a-z]_([\w-]{43})$/.exec(text) ?? [];
  if (random === undefined) return [];
  const bytes = Buffer.from(random, "base64url");
  return [
    Buffer.from(random),
    bytes,
    Buffer.from(bytes.toString("hex")),
    Buffer.from(bytes.toString("base64")),
  ];
}

/** The names of the secrets that occur in the bytes. */
export function found(bytes: Buffer, secrets: ReadonlyMap<string, string>): readonly string[] {
  return [...secrets].flatMap(([name, secret]) =>
    formsOf(secret).some((form) => bytes.includes(form)) ? [name] : [],
  );
}
