/** Keys of users and of organizations, in two versions: what nobody can notice is not told. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diffRealms } from "./diff.ts";
import { analyseSides } from "./sides.ts";
import { writeRealm } from "./testing/case.ts";

const keys = "organizations: { roles: { owner: { manage: [org] } }, creator_roles: [owner], keys: true }\n";
const noKeys = keys.replace(", keys: true", "");

const tokens = (scopes: string): string => `tokens: { personal: true, scopes: ${scopes} }\n`;

test.each<readonly [rule: string, old: string, now: string, ...changes: string[]]>([
  [
    "how long keys live concerns organizations' own, too",
    keys,
    `${keys}tokens: { max_lifetime: 90d }\n`,
    "breaking tokens.max_lifetime: keys lived 365d at most, live 90d",
  ],
  [
    "how long keys live is nothing to who could have none",
    keys,
    "tokens: { personal: true, max_lifetime: 90d }\n",
    "breaking organizations: the realm has no organizations any longer",
    "additive tokens.personal: personal tokens are on",
  ],
  ["nothing of keys that there are not", noKeys, `${noKeys}tokens: { max_lifetime: 1d, scopes: {} }\n`],
  [
    "what goes and what comes are one change, which breaks",
    tokens("{ write: [db], admin: [users] }"),
    tokens("{ write: [db/notes], call: [db], admin: [data] }"),
    "breaking tokens.scopes.admin: personal tokens could administer users at most, can administer data",
    "breaking tokens.scopes.write: personal tokens could write db at most, can write db/notes",
    "additive tokens.scopes.call: personal tokens could call nothing at most, can call db",
  ],
  [
    "an entry that another covers, the order of entries, and an empty list are no changes",
    tokens("{ read: [db, db/notes], write: [], admin: [data, users] }"),
    tokens("{ read: [db/notes, db], admin: [users, data] }"),
  ],
])("%s", async (_, old, now, ...changes) => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-diff-tokens-"));
  try {
    writeRealm(join(folder, "old/desk"), { realm: `auth: enabled\n${old}` });
    writeRealm(join(folder, "now/desk"), { realm: `auth: enabled\n${now}` });
    const sides = await analyseSides(join(folder, "old"), join(folder, "now"));
    const found = diffRealms(sides.old.realms, sides.now.realms);
    expect(found.map(({ kind, where, message }) => `${kind} ${where}: ${message}`)).toEqual(changes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
