/** Names in emitted code. */

/** Words that cannot name a variable of a module, and globals whose shadowing would mislead a reader. */
const reserved: ReadonlySet<string> = new Set(
  (
    "abstract any arguments as async await boolean break case catch class const continue debugger declare default delete do else " +
    "enum eval export extends false finally for from function get global globalThis if implements import in Infinity instanceof " +
    "interface is keyof let module NaN namespace never new null number object of package private protected public readonly require " +
    "return set static string super switch symbol this throw true try type typeof undefined unique unknown using var void while " +
    "with yield exports " +
    "Array ArrayBuffer BigInt Boolean Buffer DataView Date Error EvalError Function Intl Iterator JSON Map Math Number Object " +
    "Promise Proxy RangeError Record ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError WeakMap WeakRef " +
    "WeakSet console process"
  ).split(" "),
);

/** Whether `name` can stand after a dot and as an unquoted member name. */
export function isIdentifierName(name: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
}

/**
 * A variable name for a configured name: `a-b` -> `aB`; reserved words and `avoid`ed names get a `_`.
 * Two names may give one identifier.
 */
export function identifierName(name: string, avoid: readonly string[] = []): string {
  const camel = name
    .replace(/[^A-Za-z0-9_$]+(.?)/gu, (_, next: string) => next.toUpperCase())
    .replace(/[^A-Za-z0-9_$]/gu, "");
  const safe = /^[A-Za-z_$]/.test(camel) ? camel : `_${camel}`;
  return reserved.has(safe) || avoid.includes(safe) ? `${safe}_` : safe;
}
