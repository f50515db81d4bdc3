import type { Changes } from "../../settings/change.ts";
import type { functionChecks } from "../checks/functions.ts";
import { accounts, type Case, type Sketch } from "./case.ts";

/** A realm with the function `db/_func/fn` of this function.yaml. */
export const functioning = (settings: string, more: Readonly<Record<string, string>> = {}): Sketch => ({
  realm: `${accounts}email: { from: a@b.example, reset_link: 'https://b.example/{token}' }\n`,
  schema: {
    type: "object",
    required: ["status"],
    properties: { status: { enum: ["open", "closed"] }, title: { type: "string" } },
  },
  files: {
    "db/_func/fn/function.yaml": settings,
    "db/_func/fn/handler.ts": "export default async () => null;\n",
    ...more,
  },
});

const call = (more: string, files: Readonly<Record<string, string>> = {}): Sketch =>
  functioning(`mode: call\ninvoke: user != null\n${more}`, files);
const taking = (input: object): Sketch => call(`input: ${JSON.stringify({ type: "object", ...input })}\n`);
const returning = (output: object): Sketch => call(`output: ${JSON.stringify(output)}\n`);
const event = (more: string): Sketch => functioning(`mode: event\nschedule: '0 3 * * *'\n${more}`);
const triggered = (trigger: string): Sketch => event(`triggers: [{ collection: notes, ${trigger} }]\n`);
const when = (rule: string): Sketch => triggered(`on: [create, update], when: "${rule}"`);
const none: Sketch = { ...call(""), files: {} };

const member = (schema: object): object => ({ properties: { reason: schema } });

export const functionCases: Readonly<Record<keyof typeof functionChecks, Case>> = {
  "function-removed": { old: call(""), now: none, line: "db/_func/fn: the function is gone" },
  "function-added": { old: none, now: call(""), line: "db/_func/fn: the function is new" },
  "input-narrowed": {
    old: taking(member({ type: "string", maxLength: 20 })),
    now: taking(member({ type: "string", maxLength: 10 })),
    line: "db/_func/fn input.reason: maxLength was 20 and is 10",
  },
  "input-widened": {
    old: taking(member({ type: "string" })),
    now: taking(member({ type: ["string", "null"] })),
    line: "db/_func/fn input.reason: may be null",
  },
  "output-widened": {
    old: returning({ type: "string" }),
    now: returning({ type: ["string", "integer"] }),
    line: "db/_func/fn output: was string, may be integer or string",
  },
  "output-extended": {
    old: returning({ enum: ["done"] }),
    now: returning({ enum: ["done", "late"] }),
    line: "db/_func/fn output: 'late' is among the values",
  },
  "output-narrowed": {
    old: call(""),
    now: returning({ type: "string" }),
    line: "db/_func/fn output: was anything, is string",
  },
  "when-narrowed": {
    old: when("document.status != previous.status || document.title == 'x'"),
    now: when("document.status != previous.status"),
    line: `db/_func/fn triggers.db/notes.when: \`document.title == 'x'\` is not enough any longer; does not run any longer for {"status":"closed","title":"x"}, which was {"status":"closed"}`,
  },
  "when-widened": {
    old: when("document.status == 'open'"),
    now: when("document.status == 'open' || document.title == 'x'"),
    line: `db/_func/fn triggers.db/notes.when: \`document.title == 'x'\` is enough now; runs now for {"status":"closed","title":"x"}`,
  },
  "when-moved": {
    old: when("document.status == 'open'"),
    now: when("document.status == 'closed'"),
    line: `db/_func/fn triggers.db/notes.when: was \`document.status == 'open'\`, is \`document.status == 'closed'\`; does not run any longer for {"status":"open"}; runs now for {"status":"closed"}`,
  },
  "handler-changed": {
    old: call("", { "db/_func/fn/handler.ts": "export default async () => 1;\n" }),
    now: call("", { "db/_func/fn/handler.ts": "export default async () => 2;\n" }),
    line: "db/_func/fn: the code changed (handler.ts): what it does may differ",
  },
  "shared-code-changed": {
    old: call("", {
      "db/_func/fn/handler.ts":
        'import { one } from "../../../lib/one.ts";\nexport default async () => one;\n',
      "lib/one.ts": "export const one = 1;\n",
    }),
    now: call("", {
      "db/_func/fn/handler.ts":
        'import { one } from "../../../lib/one.ts";\nexport default async () => one;\n',
      "lib/one.ts": "export const one = 2;\n",
    }),
    line: "code: code that handlers import changed (lib/one.ts): what they do may differ",
  },
};

/** Of settings of function.yaml, and of `functions` in realm.yaml. */
export const functionSettingCases: Readonly<Record<keyof Changes, Case>> = {
  "function-mode-changed": {
    old: functioning("mode: webhook\ninvoke: true\n"),
    now: functioning("mode: call\ninvoke: true\n"),
    line: "db/_func/fn mode: was a function of mode webhook, is one of mode call",
  },
  "idempotency-required": {
    old: call(""),
    now: call("idempotency: required\n"),
    line: "db/_func/fn idempotency: was optional, is required",
  },
  "idempotency-refused": {
    old: call(""),
    now: call("idempotency: none\n"),
    line: "db/_func/fn idempotency: was optional, is none",
  },
  "idempotency-optional": {
    old: call("idempotency: required\n"),
    now: call(""),
    line: "db/_func/fn idempotency: was required, is optional",
  },
  "function-attempts-changed": {
    old: event(""),
    now: event("retry: { attempts: 3 }\n"),
    line: "db/_func/fn retry.attempts: a run was tried 5 times, is tried 3 times",
  },
  "function-limit-changed": {
    old: call(""),
    now: call("timeout: 90s\n"),
    line: "db/_func/fn timeout: was 10s and is 90s",
  },
  "functions-limit-changed": {
    old: call(""),
    now: { ...call(""), realm: `${call("").realm}functions: { rate: 600/m }\n` },
    line: "functions.rate: was not limited and is 600/m",
  },
  "function-secret-added": {
    old: call("secrets: [ONE]\n"),
    now: call("secrets: [ONE, TWO]\n"),
    line: "db/_func/fn secrets: sees TWO",
  },
  "function-secret-removed": {
    old: call("secrets: [ONE, TWO]\n"),
    now: call("secrets: [TWO]\n"),
    line: "db/_func/fn secrets: does not see ONE any longer",
  },
  "function-network-widened": {
    old: call("network: [api.example.com]\n"),
    now: call("network: ['*.example.com']\n"),
    line: "db/_func/fn network: reaches *.example.com",
  },
  "function-network-narrowed": {
    old: call("network: ['*.example.com']\n"),
    now: call("network: [api.example.com]\n"),
    line: "db/_func/fn network: does not reach *.example.com any longer",
  },
  "function-mail-allowed": {
    old: call(""),
    now: call("mail: true\n"),
    line: "db/_func/fn mail: sends mail",
  },
  "function-mail-removed": {
    old: call("mail: true\n"),
    now: call(""),
    line: "db/_func/fn mail: does not send mail any longer",
  },
  "function-scope-widened": {
    old: call("scopes: { read: [db/notes] }\n"),
    now: call("scopes: { read: [db/notes], write: [db] }\n"),
    line: "db/_func/fn scopes.write: the handler may write db",
  },
  "function-scope-narrowed": {
    old: call(""),
    now: call("scopes: { read: [db/notes], write: [db] }\n"),
    line: "db/_func/fn scopes.read: the handler may not read db any longer",
  },
  "schedule-removed": {
    old: triggered("on: [create]"),
    now: functioning("mode: event\ntriggers: [{ collection: notes, on: [create] }]\n"),
    line: "db/_func/fn schedule: does not run at '0 3 * * *' (UTC) any longer",
  },
  "schedule-added": {
    old: functioning("mode: event\ntriggers: [{ collection: notes, on: [create] }]\n"),
    now: triggered("on: [create]"),
    line: "db/_func/fn schedule: runs at '0 3 * * *' (UTC)",
  },
  "schedule-changed": {
    old: event(""),
    now: functioning("mode: event\nschedule: { cron: '0 4 * * *', timezone: Europe/Berlin }\n"),
    line: "db/_func/fn schedule: ran at '0 3 * * *' (UTC), runs at '0 4 * * *' (Europe/Berlin)",
  },
  "trigger-removed": {
    old: triggered("on: [create]"),
    now: event(""),
    line: "db/_func/fn triggers.db/notes: does not run for changes of documents there any longer",
  },
  "trigger-added": {
    old: event(""),
    now: triggered("on: [create]"),
    line: "db/_func/fn triggers.db/notes: runs for changes of documents there",
  },
  "trigger-events-removed": {
    old: triggered("on: [create, update]"),
    now: triggered("on: [create]"),
    line: "db/_func/fn triggers.db/notes: does not run on update any longer",
  },
  "trigger-events-added": {
    old: triggered("on: [create]"),
    now: triggered("on: [create, delete]"),
    line: "db/_func/fn triggers.db/notes: runs on delete",
  },
  "trigger-order-lifted": {
    old: triggered("on: [create]"),
    now: triggered("on: [create], ordered: false"),
    line: "db/_func/fn triggers.db/notes: later changes of a document may overtake one that is tried again",
  },
  "trigger-order-kept": {
    old: triggered("on: [create], ordered: false"),
    now: triggered("on: [create]"),
    line: "db/_func/fn triggers.db/notes: later changes of a document wait for one that is tried again",
  },
};
