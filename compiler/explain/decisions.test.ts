/**
 * Golden decisions: who may do what with a ticket of the helpdesk, and the clauses that decide.
 * `UPDATE_GOLDEN=1 npx vitest run compiler/explain` writes them anew; read their diff.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { packageRoot } from "../package/package.ts";
import { analyse } from "../pipeline.ts";
import { contextOf, exampleTime, type GivenCaller } from "../plans/callers.ts";
import type { Request } from "./attempt.ts";
import { userAccess } from "./caller.ts";
import { decide } from "./decision.ts";
import { renderDecision } from "./render-decision.ts";

const golden = fileURLToPath(new URL("testdata/helpdesk.decisions.golden", import.meta.url));

const callers: Readonly<Record<string, GivenCaller>> = {
  anonymous: "anonymous",
  stranger: { id: "stranger" },
  owner: { id: "owner", orgs: { acme: { claims: { suspended: false } } } },
  agent: { id: "agent", orgs: { acme: { roles: ["agent"] } } },
  substitute: {
    id: "substitute",
    orgs: { acme: { teams: { night: { roles: [{ role: "substitute", until: "2026-02-01T00:00:00Z" }] } } } },
  },
  lead: { id: "lead", roles: ["lead"] },
};

const times = { created_at: exampleTime, updated_at: exampleTime, version: 1 };
const ticket = {
  id: "t1",
  subject: "Printer",
  status: "open",
  triage: { severity: "low" },
  _meta: { ...times, owner: "owner", org: "acme", team: "night" },
};
const gone = { ...ticket, _meta: { ...ticket._meta, deleted_at: exampleTime } };

const requests: Readonly<Record<string, Request>> = {
  create: { operation: "create", data: { subject: "Printer", status: "open" }, org: "acme" },
  read: { operation: "read", document: ticket },
  close: { operation: "update", document: ticket, change: "patch", data: { status: "closed" } },
  assign: { operation: "update", document: ticket, change: "patch", data: { assignee_id: "agent" } },
  delete: { operation: "delete", document: ticket },
  restore: { operation: "restore", document: gone },
  purge: { operation: "purge", document: gone },
};

test("the helpdesk's tickets", async () => {
  const { realms } = await analyse(join(packageRoot, "examples"), { only: "helpdesk", handlers: "none" });
  const [found] = realms;
  const collection = found?.realm.databases
    .flatMap((database) => database.collections)
    .find(({ name }) => name === "tickets");
  const rules = found?.rules.collections.get("support/tickets");
  if (found === undefined || collection === undefined || rules === undefined)
    throw new Error("there are tickets");
  const of = { realm: found.realm, collection, rules };
  const pages = Object.entries(requests).flatMap(([request, asked]) =>
    Object.entries(callers).map(([name, caller]) => {
      const decision = decide(of, userAccess(contextOf(caller, found.realm)), asked);
      return `== ${request} as ${name}\n\n${renderDecision(decision)}\n`;
    }),
  );
  const text = pages.join("\n");
  if (process.env["UPDATE_GOLDEN"] !== undefined) writeFileSync(golden, text);
  expect(text).toBe(readFileSync(golden, "utf8"));
});
