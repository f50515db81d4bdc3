import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with the handlers of functions. */
export const functionCodes = {
  "missing-handler": {
    severity: "error",
    summary: "A function has no handler.ts.",
    message: "the function '{function}' has no handler: {problem}",
    hint: 'the smallest is: import type { Handler } from "./$types.ts"; const handler: Handler = async () => undefined; export default handler;',
    explanation: "What a function does stands in its `handler.ts`, which exports a function by default.",
    wrong: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/_func/close/function.yaml",
    },
    right: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/_func/close/function.yaml\nconfig/helpdesk/support/_func/close/handler.ts",
    },
  },
  "handler-node-module": {
    severity: "error",
    summary: "A handler imports a module of Node that handlers do not have.",
    message: "code of a realm cannot have {module}",
    hint: "of Node's modules there are {allowed}; hosts are reached by ctx.fetch, settings by ctx.secrets",
    explanation:
      "A handler reaches what its `function.yaml` declares, by `ctx`. Modules that open files, sockets, processes and threads would go past that, so they are refused, in packages that a handler imports as well.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'import { readFileSync } from "node:fs";\n\nexport default () => ({ body: readFileSync("/etc/hosts") });',
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'import { createHash } from "node:crypto";\n\nexport default () => ({ body: createHash("sha256").update("x").digest("hex") });',
    },
  },
  "handler-import": {
    severity: "error",
    summary: "A handler imports what is not there, or lies outside of its realm.",
    message: "'{specifier}' {problem}",
    hint: "import files of the realm by relative paths, and packages of your project by their names",
    explanation:
      "What a realm's functions do depends on that realm's folder and on the packages of the project, and on nothing else of the machine.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        "import { secret } from '../../../../../elsewhere.ts';\n\nexport default () => ({ body: secret });",
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        "import { word } from '../../../_shared/word.ts';\n\nexport default () => ({ body: word });",
      "_shared/word.ts": 'export const word = "hello";',
    },
  },
  "handler-computed-import": {
    severity: "error",
    summary: "A handler imports a module whose name is known only when it runs.",
    message: "import() takes a literal in handlers",
    hint: 'name the module: import("./words.ts"); where it is one of several, import them all and choose',
    explanation:
      "A handler is built into one script with all that it imports, and has no way to modules when it runs. So the build has to know which they are.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'export default async () => {\n  const { readdirSync } = await import(["node", "fs"].join(":"));\n  return { body: String(readdirSync(".")) };\n};',
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'export default async () => {\n  const { createHash } = await import("node:crypto");\n  return { body: createHash("sha256").update("x").digest("hex") };\n};',
    },
  },
  "handler-type": {
    severity: "error",
    summary: "TypeScript finds a mistake in a handler.",
    message: "{message}",
    explanation:
      "Handlers of a realm are checked in one program, strictly, against the types that are emitted beside their definitions: `./$types.ts`. What is said is mostly TypeScript's own message, of a long one its start and its end.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'import type { Handler } from "./$types.ts";\n\nconst handler: Handler = (input) => ({ body: input.bodi });\n\nexport default handler;',
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'import type { Handler } from "./$types.ts";\n\nconst handler: Handler = (input) => ({ body: input.body });\n\nexport default handler;',
    },
  },
  "handler-no-default": {
    severity: "error",
    summary: "A handler.ts without a default export.",
    message: "handler.ts exports nothing by default",
    hint: "export the handler: export default handler;",
    explanation: "What is run is what handler.ts exports by default.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts": "export const handler = () => undefined;",
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts": "const handler = () => undefined;\n\nexport default handler;",
    },
  },
  "handler-undeclared": {
    severity: "error",
    summary: "A handler uses what its function.yaml does not declare.",
    message: "{what} is not declared",
    explanation:
      "A function reaches the collections of its `scopes` (without them its own database), the secrets of `secrets`, and mail with `mail: true`. So a reviewer sees in `function.yaml` what a handler can do.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'import type { Handler } from "./$types.ts";\n\nconst handler: Handler = (_, ctx) => ({ body: ctx.secrets.STRIPE_KEY });\n\nexport default handler;',
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true\nsecrets: [STRIPE_KEY]",
      "handler.ts":
        'import type { Handler } from "./$types.ts";\n\nconst handler: Handler = (_, ctx) => ({ body: ctx.secrets.STRIPE_KEY });\n\nexport default handler;',
    },
  },
  "handler-global": {
    severity: "error",
    summary: "A handler uses a global that handlers do not have.",
    message: "'{name}' is no global of handlers",
    explanation:
      "Handlers have the globals of the language, and those of the web that reach nothing: `URL`, `TextEncoder`, `crypto`, `structuredClone`, `setTimeout` and their like, and `Buffer`. What reaches further is a member of `ctx`. `eval` and `new Function` are refused when they are called.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts": "export default () => ({ body: process.cwd() });",
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts": "export default () => ({ body: crypto.randomUUID() });",
    },
  },
  "handler-console": {
    severity: "hint",
    summary: "A handler logs by `console`.",
    message: "console.{method} is one line of text in the log of the run",
    hint: "ctx.log.{level}(message, { … }) keeps fields beside it, which searches of logs find",
    explanation:
      "What handlers and packages write to `console` goes into the log of the run, formatted as one text. `ctx.log` has the same levels and takes fields; counters, timers and tables of `console` do nothing.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'import type { Handler } from "./$types.ts";\n\nconst handler: Handler = (input) => {\n  console.log("came", input.path);\n  return undefined;\n};\n\nexport default handler;',
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'import type { Handler } from "./$types.ts";\n\nconst handler: Handler = (input, ctx) => {\n  ctx.log.info("came", { path: input.path });\n  return undefined;\n};\n\nexport default handler;',
    },
  },
  "handler-network": {
    severity: "warning",
    summary: "A handler asks a host that its function.yaml does not declare.",
    message: "network in function.yaml does not hold {host}, so this is refused when it runs",
    hint: "add it to network: [{host}]",
    explanation: "`ctx.fetch` reaches the hosts of `network` alone.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        'import type { Handler } from "./$types.ts";\n\nconst handler: Handler = async (_, ctx) => {\n  await ctx.fetch("https://api.example.com/ping");\n  return undefined;\n};\n\nexport default handler;',
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true\nnetwork: [api.example.com]",
      "handler.ts":
        'import type { Handler } from "./$types.ts";\n\nconst handler: Handler = async (_, ctx) => {\n  await ctx.fetch("https://api.example.com/ping");\n  return undefined;\n};\n\nexport default handler;',
    },
  },
  "handler-bundle": {
    severity: "error",
    summary: "A handler cannot be bundled with what it imports.",
    message: "the handler cannot be bundled: {problem}",
    explanation:
      "Each handler becomes one module with what it imports in it: files of the realm, and packages that are installed where the configuration lies.",
    wrong: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts":
        '// @ts-expect-error\nimport { nothing } from "no-such-package";\n\nexport default () => ({ body: String(nothing) });',
    },
    right: {
      "function.yaml": "mode: webhook\ninvoke: true",
      "handler.ts": 'export default () => ({ body: "nothing" });',
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
