/** What is the same in the client of every realm: modules of `runtime/client`, joined. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Realm } from "../../compiler/model/model.ts";
import { packageRoot } from "../../compiler/package/package.ts";
import { followable } from "./following.ts";

/** In the order in which they are read. */
const everywhere = ["queries", "expansion", "options", "documents", "batch", "errors", "connection", "pages"];
const withAccounts = ["accounts", "administration", "people"];
const withoutAccounts = ["administration"];
const withRealtime = [
  "subscriptions",
  "event-parser",
  "silence-watch",
  "stream-connection",
  "stream-context",
  "stream",
  "streams",
  "order",
  "held",
  "live",
  "subscribe",
  "following",
];
const withOrganizations = ["members", "organizations", "teams", "organization-administration"];

/** The text after what varies by realm: declarations without imports, laid out. */
export function invariantText(realm: Realm): string {
  const { auth, organizations } = realm;
  const names = [
    ...everywhere,
    ...(auth ? withAccounts : withoutAccounts),
    ...(organizations === undefined ? [] : withOrganizations),
    ...(followable(realm).length > 0 ? withRealtime : []),
  ];
  const shapes = partText("runtime/documents/shape.ts");
  return [shapes, ...names.map((name) => partText(`runtime/client/${name}.ts`))].join("\n");
}

/** What only the modules themselves have to know of each other. */
const unshared =
  /^export (?=class (?:Connection|EventParser|Held|LiveDocuments|SilenceWatch|Stream|StreamConnection|Streams)\b|function (?:batching|belonging|changeBetween|following|guarded|isLasting|orderOf|pathOf|proved|read|subscribed)\b|interface (?:Call|EventBlock|Follower|Known|LiveSource|Loaded|Paging|StreamContext|Subscription|TextOperators|Versioned)\b|type (?:CreateArguments|DocumentEvent|OrderKinds)\b)/gm;
const texts = new Map<string, string>();

/** A module without its imports and what it says of itself: everything is in one module now. */
function partText(path: string): string {
  const known = texts.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(packageRoot, path), "utf8")
    .replace(/^\/\*\* [^\n]* \*\/\n\n/, "")
    .replace(/^import [^;]*;\n/gm, "")
    .replace(unshared, "")
    .trimStart();
  texts.set(path, text);
  return text;
}

/** Every name that occurs in a text, its comments aside: those of types and values alike. */
export function namesIn(text: string): ReadonlySet<string> {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}
