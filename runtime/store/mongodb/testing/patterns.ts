/** A pattern of ours as one of JavaScript's, for tests without a server: PCRE's own constructs are spelled otherwise. */
export function asRegExp(pattern: string): RegExp {
  const text = pattern
    .replaceAll("(?>", "(?:")
    .replaceAll("\\z", "$")
    // Here only characters that mean something may be escaped.
    .replace(/\\([^A-Za-z0-9^$\\.*+?()[\]{}|/])/g, "$1");
  return new RegExp(text, "u");
}
