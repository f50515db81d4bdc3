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

function moduleNames(realm: Realm): readonly string[] {
  const { auth, organizations } = realm;
  const names = [
    ...everywhere,
    ...(auth ? withAccounts : withoutAccounts),
    ...(organizations === undefined ? [] : withOrganizations),
    ...(followable(realm).length > 0 ? withRealtime : []),
  ];
  return ["runtime/documents/shape.ts", ...names.map((name) => `runtime/client/${name}.ts`)];
}

/** Every name that occurs in those modules, its comments aside: those of types and values alike. */
export function runtimeNames(realm: Realm): ReadonlySet<string> {
  const texts = moduleNames(realm).map((name) => readFileSync(join(packageRoot, name), "utf8"));
  const code = texts.join("\n").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}
