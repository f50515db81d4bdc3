/** Who creates organizations, in two versions: the rule that stands in realm.yaml. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diffRealms } from "./diff.ts";
import { analyseSides } from "./sides.ts";
import { accounts, type Sketch, writeRealm } from "./testing/case.ts";

const roles = "roles: { owner: { manage: [org] } }, creator_roles: [owner]";

function ruled(create: string | undefined): Sketch {
  const rule = create === undefined ? "" : `create: "${create}", `;
  return { realm: `${accounts}app_config: { open: true }\norganizations: { ${rule}${roles} }\n` };
}

test.each<readonly [old: string | undefined, now: string | undefined, ...changes: string[]]>([
  ["user.email_verified", "user.email_verified"],
  [
    "hasRole('lead')",
    "hasRole('lead', 'agent')",
    "additive organizations.create: `hasRole('agent')` is enough now; a user with the role agent may now create an organization",
  ],
  [
    "user != null",
    "user.email_verified",
    "breaking organizations.create: was `user != null`, is `user.email_verified`; a user with email_verified false may no longer create an organization",
  ],
  [
    "true",
    undefined,
    "breaking organizations.create: was allowed to everybody, is denied to everybody; any caller may no longer create an organization",
  ],
  [
    undefined,
    "appConfig.open",
    "additive organizations.create: was denied to everybody, is `appConfig.open`; any caller may now create an organization while appConfig.open is true",
  ],
])("%s -> %s", async (old, now, ...changes) => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-diff-organizations-"));
  try {
    writeRealm(join(folder, "old/desk"), ruled(old));
    writeRealm(join(folder, "now/desk"), ruled(now));
    const sides = await analyseSides(join(folder, "old"), join(folder, "now"));
    const found = diffRealms(sides.old.realms, sides.now.realms);
    expect(found.map(({ kind, where, message }) => `${kind} ${where}: ${message}`)).toEqual(changes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a change of app_config names the rule where that reads it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-diff-organizations-"));
  try {
    const { realm = "" } = ruled("appConfig.open");
    writeRealm(join(folder, "old/desk"), { realm });
    writeRealm(join(folder, "now/desk"), { realm: realm.replace("open: true", "open: false") });
    const sides = await analyseSides(join(folder, "old"), join(folder, "now"));
    const [change] = diffRealms(sides.old.realms, sides.now.realms);
    expect(change?.message).toBe("was true and is false; rules that read it: organizations.create");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
