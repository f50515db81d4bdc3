/** `realmc test`: what it runs, says and exits with. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../package/package.ts";
import { commandsIn } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-test-"));
const realmc = commandsIn(folder);
const tasks = "config/app/work/tasks/_tests/tasks.yaml";
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  cpSync(join(packageRoot, "compiler/init/template/config"), join(folder, "config"), { recursive: true });
});

/** A configuration in a folder of its own, with these tests of tasks alone. */
function withTests(name: string, text: string): string {
  const place = join(folder, name);
  cpSync(join(packageRoot, "compiler/init/template/config"), place, { recursive: true });
  rmSync(join(place, "app/_tests"), { recursive: true });
  rmSync(join(place, "app/work/projects/_tests"), { recursive: true });
  writeFileSync(join(place, "app/work/tasks/_tests/tasks.yaml"), text);
  return name;
}

const people = "callers: { ada: {}, ben: {}, lea: { roles: [lead] } }\n";
const task =
  "documents: { task: { title: Write, status: open, assignee_id: ben, hours: 3, _meta: { owner: ada } } }\n";

describe("what realmc init writes", () => {
  test("passes, and covers every clause of its rules", async () => {
    const { status, stdout, stderr } = await realmc("test", "--coverage", "--min-coverage", "100");
    expect(stdout).toMatch(/^\d+ passed, 0 failed in \d+ ms\n$/);
    expect(stderr).toMatch(/^coverage: 100% \((\d+) of \1 outcomes of \d+ clauses\)$/m);
    expect(status).toBe(0);
  });

  test("is not in the output, nor in its manifest", async () => {
    expect((await realmc("build", "config", "--out", "before")).status).toBe(0);
    rmSync(join(folder, tasks));
    expect((await realmc("build", "config", "--out", "before", "--check")).status).toBe(0);
    cpSync(join(packageRoot, "compiler/init/template", tasks), join(folder, tasks));
  });
});

describe("a failing test", () => {
  const failing = `${people}${task}tests:\n  - name: everybody deletes\n    delete: { allow: { ada: [task], ben: [task] } }\n`;

  test("shows its rule with what each clause came to, and where both stand", async () => {
    const { status, stdout } = await realmc("test", withTests("failing", failing));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^app\/work\/tasks\/_tests\/tasks\.yaml:4:11 failed everybody deletes$/m);
    expect(stdout).toContain("delete task as ben: expected to be allowed, and it is refused (403 forbidden");
    expect(stdout).toMatch(/^ {2}app\/work\/tasks\/collection\.yaml:\d+:11 rules\.delete is false$/m);
    expect(stdout).toMatch(
      /^ {4}> false {2}document\._meta\.owner == user\.id {2}document\._meta\.owner = "ada", user\.id = "ben"$/m,
    );
    expect(stdout).toMatch(/^ {4}> false {2}hasRole\('lead'\) +user\.roles = \[\]$/m);
    expect(stdout).toMatch(/^0 passed, 1 failed/m);
  });

  test("is JSON for programs, with its trace, beside what is not covered", async () => {
    const { status, stdout } = await realmc("test", withTests("failing", failing), "--format", "json");
    const { coverage, ...report } = JSON.parse(stdout);
    expect(status).toBe(1);
    expect(report).toMatchObject({
      passed: 0,
      failed: 1,
      tests: [
        {
          realm: "app",
          collection: "work/tasks",
          file: "app/work/tasks/_tests/tasks.yaml",
          line: 4,
          name: "everybody deletes",
          ok: false,
          message: expect.stringMatching(/^delete task as ben/),
          trace: expect.arrayContaining([expect.objectContaining({ rule: "rules.delete", value: false })]),
        },
      ],
    });
    expect(Object.keys(report.tests[0]).sort()).toEqual(
      ["collection", "file", "line", "message", "name", "ok", "realm", "trace"].sort(),
    );
    expect(Object.keys(coverage)).toEqual(["clauses", "covered", "uncovered", "unasserted"]);
    const never = coverage.uncovered.filter(({ text }: { text: string }) => text === "user != null");
    expect(never.map((each: { never: string }) => each.never)).toContain("false");
  });

  test("is an annotation, and a failure of JUnit", async () => {
    const config = withTests("failing", failing);
    const github = await realmc("test", config, "--format", "github");
    expect(github.stdout).toMatch(/^::error file=app\/work\/tasks\/_tests\/tasks\.yaml,line=4,/);
    const junit = await realmc("test", config, "--format", "junit");
    expect(junit.stdout).toContain('<testsuites name="realmc test" tests="1" failures="1"');
    expect(junit.stdout).toContain("&gt; false");
  });
});

const decisions: readonly (readonly [string, string])[] = [
  ["an update that names a field", "update: { as: ada, document: task, patch: { hours: 1 }, deny: hours }"],
  ["a patch that is allowed", "update: { as: ben, document: task, patch: { status: doing }, allow: true }"],
  [
    "a replacement",
    "update: { as: ada, document: task, replace: { title: New, status: done }, allow: true }",
  ],
  [
    "a document that is not there for its caller",
    "update: { as: carla, document: task, patch: {}, deny: true, status: 404 }",
  ],
  [
    "a create by nobody",
    "create: { as: anonymous, data: { title: x, status: open }, deny: true, status: 401 }",
  ],
  ["a create that the schema refuses", "create: { as: ada, data: { title: 7 }, deny: true, status: 400 }"],
  ["fields", "fields: { as: ada, document: task, hidden: [hours], shown: [title, _meta.owner] }"],
  ["a list in order", "list: { as: lea, order_by: title, expect: [second, task] }"],
  ["a list that hides a field", "list: { as: ada, where: { hours: 3 }, deny: true, status: 400 }"],
  ["a key within its scopes", "read: { allow: { reader: [task] } }"],
  ["a key beyond its scopes", "delete: { deny: { reader: [task] }, status: 403 }"],
  ["a key on behalf of a user", "read: { allow: { clerk: [task] }, deny: { clerk: [second] } }"],
  ["all documents", 'read: { allow: { lea: "*" } }'],
];

test.each(decisions)("%s is decided as over HTTP", async (_, operation) => {
  const text = `callers: { ada: {}, ben: {}, carla: {}, lea: { roles: [lead] }, reader: { key: { scopes: { read: [work] } } }, clerk: { key: {}, on_behalf_of: ada } }
documents:
  task: { title: Write, status: open, assignee_id: ben, hours: 3, _meta: { owner: ada } }
  second: { title: Read, status: open, _meta: { owner: dan } }
tests:
  - ${operation}
`;
  const { stdout, stderr, status } = await realmc("test", withTests("decisions", text));
  expect(stdout + stderr).toContain("1 passed, 0 failed");
  expect(status).toBe(0);
});

test("rules see the time and the values of the file, and windows of roles in teams", async () => {
  const place = "windows";
  mkdirSync(join(folder, place, "desk/work/notes/_tests"), { recursive: true });
  const write = (path: string, text: string) => writeFileSync(join(folder, place, "desk", path), text);
  write(
    "realm.yaml",
    "auth: enabled\napp_config: { open: false }\norganizations:\n  create: user.email_verified\n  roles: { owner: { manage: [org] }, member: {} }\n  creator_roles: [owner]\n  team_roles: { lead: {} }\n",
  );
  write("work/notes/schema.json", '{ "type": "object", "properties": { "text": { "type": "string" } } }');
  write(
    "work/notes/collection.yaml",
    "rules:\n  read: hasTeamRole(document._meta.team, 'lead') && appConfig.open && document._meta.created_at > ago('1d')\norganization: required\nteams: required\n",
  );
  const lead = "{ role: lead, from: 2026-03-01T00:00:00Z, until: 2026-03-02T00:00:00Z }";
  const file = (now: string, open: boolean, side: string) =>
    `now: ${now}\napp_config: { open: ${open} }\ncallers: { ada: { orgs: { acme: { teams: { night: { roles: [${lead}] } } } } }, eve: { email_verified: false } }\ndocuments: { note: { _meta: { org: acme, team: night, created_at: 2026-03-01T06:00:00Z } } }\ntests:\n  - read: { ${side}: { ada: [note] } }\n  - create_organization: { as: ada, allow: true }\n  - create_organization: { as: eve, deny: true, status: 403 }\n`;
  write("work/notes/_tests/a.yaml", file("2026-03-01T12:00:00Z", true, "allow"));
  write("work/notes/_tests/b.yaml", file("2026-03-02T00:00:00Z", true, "deny"));
  write("work/notes/_tests/c.yaml", file("2026-03-01T12:00:00Z", false, "deny"));
  const { stdout, status } = await realmc("test", place);
  expect(stdout).toMatch(/^9 passed, 0 failed/);
  expect(status).toBe(0);
});

describe("only", () => {
  const callers = "callers: { ada: {}, ben: {}, carla: {}, lea: { roles: [lead] }, nobody: anonymous }\n";
  const documents = `documents:
  task: { title: Write, status: open, assignee_id: ben, _meta: { owner: ada } }
  other: { title: Read, status: open, _meta: { owner: ben } }
  deleted: { title: Old, status: open, _meta: { owner: ada, deleted_at: 2026-01-01T00:00:00Z } }
`;
  const of = (...tests: readonly string[]) =>
    withTests("only", `${callers}${documents}tests:\n${tests.map((each) => `  - ${each}\n`).join("")}`);

  test("is who may, and that no other caller and no other document is", async () => {
    const right = "read: { only: { ada: [task], ben: [task, other], lea: [task, other] } }";
    expect((await realmc("test", of(right))).stdout).toMatch(/^1 passed, 0 failed/);
    const withoutBen = await realmc("test", of("read: { only: { ada: [task], lea: [task, other] } }"));
    expect(withoutBen.stdout).toContain("read task as ben: expected a refusal, and it is allowed");
    const withCarla = await realmc("test", of(right.replace("{ ada", "{ carla: [task], ada")));
    expect(withCarla.stdout).toContain("read task as carla: expected to be allowed, and it is refused");
    const withoutOther = await realmc("test", of(right.replace("ben: [task, other]", "ben: [task]")));
    expect(withoutOther.stdout).toContain("read other as ben: expected a refusal, and it is allowed");
  });

  test("of nobody is {}", async () => {
    const { stdout } = await realmc("test", of("delete: { only: {} }"));
    expect(stdout).toContain("failed delete: only nobody");
    expect(stdout).toContain("delete task as ada: expected a refusal, and it is allowed");
  });

  test("--coverage lists what no test asserts", async () => {
    const read = "read: { only: { ada: [task], ben: [task, other], lea: [task, other] } }";
    const update = "update: { as: ada, document: task, patch: { status: doing }, allow: true }";
    const list = "list: { as: lea, expect: [task, other] }";
    const all = await realmc("test", of(read, update), "--coverage");
    // Five callers: two live documents read, updated, deleted and purged, one deleted document restored and purged.
    expect(all.stderr).toMatch(/^unasserted: 39 of 50 triples of caller, document and operation$/m);
    expect(all.stderr).toMatch(
      /^ {2}app\/work\/tasks\/_tests\/tasks\.yaml {2}work\/tasks update {2}ada other; ben task, other; carla/m,
    );
    expect(all.stderr).not.toContain("work/tasks read");
    const json = JSON.parse((await realmc("test", of(list), "--format", "json")).stdout);
    const reads = json.coverage.unasserted.filter((each: { operation: string }) => each.operation === "read");
    expect(reads[0]).toEqual({
      file: "app/work/tasks/_tests/tasks.yaml",
      collection: "work/tasks",
      operation: "read",
      caller: "ada",
      documents: ["task", "other"],
    });
    expect(reads.map(({ caller }: { caller: string }) => caller)).toEqual(["ada", "ben", "carla", "nobody"]);
  });
});

describe("exit code 2", () => {
  test("without tests", async () => {
    const config = withTests("none", `${people}tests: [{ read: { deny: { ada: [] } } }]`);
    rmSync(join(folder, config, "app/work/tasks/_tests"), { recursive: true });
    const { status, stderr } = await realmc("test", config);
    expect(stderr).toMatch(/error: there are no rule tests in none \(put them into/);
    expect(status).toBe(2);
  });

  test("for a filter that matches none", async () => {
    const { status, stderr } = await realmc("test", "config", "--filter", "nothing like it");
    expect(stderr).toContain("no rule test has 'nothing like it' in its file or name");
    expect(status).toBe(2);
  });

  test("for mistakes in files, told at their line", async () => {
    const text = `${people}${task}tests:\n  - read: { allow: { adaa: [task] } }\n`;
    const { status, stderr } = await realmc("test", withTests("mistaken", text));
    expect(stderr).toContain(
      "app/work/tasks/_tests/tasks.yaml:4:22 error rule-test-unknown there is no caller 'adaa'",
    );
    expect(status).toBe(2);
  });
});

test("--filter takes tests by file and name", async () => {
  const { stdout } = await realmc("test", "config", "--filter", "hand it on");
  expect(stdout).toMatch(/^1 passed, 0 failed/);
});

test("coverage below --min-coverage is exit code 1", async () => {
  const { status, stderr } = await realmc("test", "config", "--filter", "hand it on", "--min-coverage", "90");
  expect(stderr).toMatch(/error: coverage is [\d.]+%, and at least 90% is asked for/);
  expect(status).toBe(1);
});

test("coverage is written for others, and as a page that needs nothing else", async () => {
  const { status } = await realmc(
    "test",
    "config",
    "--coverage=lcov:out/lcov.info",
    "--coverage=html:out/html",
  );
  expect(status).toBe(0);
  const lcov = readFileSync(join(folder, "out/lcov.info"), "utf8");
  expect(lcov).toContain("SF:config/app/work/tasks/collection.yaml\n");
  expect(lcov).toMatch(/^BRDA:\d+,0,0,\d+$/m);
  const page = readFileSync(join(folder, "out/html/index.html"), "utf8");
  expect(page).toMatch(
    /<span class="both" title="true \d+ times, false \d+ times">hasRole\(&#39;lead&#39;\)|hasRole\('lead'\)/,
  );
  expect(page).not.toMatch(/<script|src=|href=/);
});
