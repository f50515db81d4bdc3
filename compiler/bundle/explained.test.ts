/** Rules taken apart, as bundles have them, say what tracing their forms says. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ExplainedRules, explanation } from "../../runtime/realm/explained.ts";
import { isFull, runs } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import { commandsIn } from "../cli/testing/commands.ts";
import { judgedBy } from "../explain/decision.ts";
import { packageRoot } from "../package/package.ts";
import { compileRules } from "../rules/rules.ts";
import { ruleArbitrary } from "../rules/testing/random-rules.ts";
import { contextArbitrary, documentArbitrary } from "../rules/testing/random-worlds.ts";
import {
  noteFields,
  noteRealm,
  ofOrganizations,
  organizations,
  ruleSource,
} from "../rules/testing/realms.ts";
import { explainedFiles } from "./bundle.ts";

test("of random rules the clauses that decide are those of the form", async () => {
  const sketches = fc.sample(ruleArbitrary({ data: true }), { seed: 23, numRuns: runs(600) });
  const collections = sketches.map(({ text }, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      rules: { update: ruleSource(text, "update", at + 1) },
    }),
  );
  const [first] = collections;
  if (first === undefined) throw new Error("there are collections");
  const realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  const stage = compileRules(realm);
  const [file] = await explainedFiles([{ realm, rules: stage }]);
  const url = `data:text/javascript;base64,${Buffer.from(file?.text ?? "").toString("base64")}`;
  const { explained }: { readonly explained: ExplainedRules } = await import(url);
  const worlds = fc.sample(
    fc.record({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
    { seed: 29, numRuns: isFull ? 240 : 60 },
  );
  let asked = 0;
  for (const collection of collections) {
    const rules = stage.collections.get(`db/${collection.name}`);
    if (rules?.rules.update === undefined) continue;
    for (const world of worlds) {
      const by = { realm: "desk", of: `db/${collection.name}`, rule: "rules.update", ...world };
      const judged = judgedBy({ collection, rules }, by);
      const [whole] = judged?.values ?? [];
      const clauses = judged?.deciding.map(
        ({ text, file: at, line, column }) => `${text} (${at}:${line}:${column})`,
      );
      const meant = `rules.update denies: ${clauses?.join("; ")}`.replace(/\s+/g, " ");
      const said = explanation(explained, by);
      if (!said.endsWith("...") && /^[\x20-\x7e]*$/.test(meant) && said !== meant)
        expect({ said, world, whole }).toEqual(meant);
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(isFull ? 100_000 : 1_000);
}, 300_000);

test("an explanation is printable ASCII of bounded length, and says when there is no rule", () => {
  const by = {
    realm: "desk",
    of: "db/notes",
    rule: "rules.read",
    context: undefined,
    document: {},
    data: {},
  };
  expect(explanation({}, by)).toBe("the scopes of the key do not grant this on db/notes");
  const context = { user: undefined, now: "", appConfig: {}, memberships: new Map() };
  const asked = { ...by, context };
  expect(explanation(undefined, asked)).toBe("rules.read denies");
  expect(explanation({}, asked)).toBe("rules.read denies: there is no such rule, so nobody may");
  const rule = { text: `document.name ==\r\n 'Zoë${"e".repeat(2_000)}'`, at: "a:1:1", holds: () => false };
  const said = explanation({ "db/notes rules.read": rule }, asked);
  expect(said).toMatch(/^rules\.read denies: document\.name == 'Zo\\u00ebe+\.\.\.$/);
  expect(said).toHaveLength(1_024);
});

test("SVC_EXPLAIN: a bundle has what it needs for it, and refuses it in production", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-explained-"));
  try {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    write("config/desk/realm.yaml", "auth: enabled\n");
    write("config/desk/db/notes/schema.json", '{ "type": "object" }');
    write("config/desk/db/notes/collection.yaml", "rules: { create: user.email_verified }\n");
    const { status } = await commandsIn(folder)("build", "config", "--bundle", "dist");
    expect(status).toBe(0);
    symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
    const started = (more: Readonly<Record<string, string>>) =>
      spawn(process.execPath, [join(folder, "dist/server.mjs")], {
        env: {
          PATH: process.env["PATH"],
          SVC_STORE: "sqlite::memory:",
          PORT: "0",
          SVC_EXPLAIN: "on",
          ...more,
        },
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
      });
    const refused = started({ NODE_ENV: "production" });
    const said: Buffer[] = [];
    refused.stderr.on("data", (chunk: Buffer) => said.push(chunk));
    const [code] = await once(refused, "close");
    expect([code, Buffer.concat(said).toString()]).toEqual([
      1,
      expect.stringContaining("SVC_EXPLAIN must be off where NODE_ENV is production"),
    ]);
    const server = started({});
    try {
      for await (const line of createInterface({ input: server.stdout })) {
        const { msg, realms } = JSON.parse(line);
        if (msg !== "ready") continue;
        const answer = await fetch(`${realms[0]}/db/notes`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: "{}",
        });
        expect([answer.status, answer.headers.get("x-svc-explain")]).toEqual([
          401,
          "rules.create denies: user.email_verified (desk/db/notes/collection.yaml:1:18)",
        ]);
        break;
      }
    } finally {
      const ended = once(server, "exit");
      server.kill("SIGKILL");
      await ended;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
