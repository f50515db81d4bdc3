/** `secrets`, `network` and `mail`: what a function reaches beside documents. */
import { isIP } from "node:net";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import { flag, texts } from "../../model/given.ts";
import type { RealmFunction } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { functionSetting } from "../setting.ts";
import type { FunctionCheck } from "../subject.ts";
import { turnover } from "../words.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    /** Names. */
    readonly secrets: readonly string[];
    /** Where they are declared. */
    readonly secretsSpan?: Span;
    /** Hosts as they are written. */
    readonly network: readonly string[];
    /** It sends mail. */
    readonly mail: boolean;
  }
}

const codes = {
  "secret-missing": {
    severity: "warning",
    summary: "A secret that a function declares is not set in the store.",
    message: "the secret {name} is not set in {store}: every run of {function} ends with secret_missing",
    hint: "realmc secret set --realm {realm} --name {name} < file; beside a running server PUT /v1/{realm}/_admin/secrets/{name}",
    explanation:
      "Said by `realmc check --store`, which looks at which secrets there are, not at their values. `realmc dev` takes them from the file `.env`, too.",
    wrong: { words: "secrets: [STRIPE_KEY] in function.yaml, and nobody has set STRIPE_KEY" },
    right: { words: "secrets: [STRIPE_KEY] in function.yaml, after realmc secret set --name STRIPE_KEY" },
  },
  "function-network": {
    severity: "error",
    summary: "An entry of `network` that is no host.",
    message: "'{entry}' is no host that a function can reach: {problem}",
    explanation:
      "An entry is a name (`api.example.com`), all names below one (`*.example.com`), or an address with its port (`127.0.0.1:9000`, `[::1]:9000`). Names are reached by the ports that the handler asks for, and where they lead to private addresses not at all: such addresses must stand here themselves.",
    wrong: { "function.yaml": "mode: webhook\ninvoke: true\nnetwork: ['https://api.example.com/v1']" },
    right: { "function.yaml": "mode: webhook\ninvoke: true\nnetwork: [api.example.com]" },
  },
  "function-mail": {
    severity: "error",
    summary: "A function that sends mail in a realm that has no sender.",
    message: "realm.yaml does not say from whom mail comes",
    hint: "declare email: { from: … } in realm.yaml",
    explanation:
      "What `ctx.mail` sends comes from `email.from` of realm.yaml, as all mail of the realm does.",
    wrong: { "function.yaml": "mode: webhook\ninvoke: true\nmail: true" },
    right: {
      "realm.yaml": "auth: enabled\nemail: { from: helpdesk@example.com }",
      "function.yaml": "mode: webhook\ninvoke: true\nmail: true",
    },
  },
} as const satisfies Codes;

const changes = {
  "function-secret-added": {
    kind: "additive",
    message: "sees {secrets}",
    why: "For reviewers: the handler, and all that it imports, reads a secret that it did not.",
  },
  "function-secret-removed": {
    kind: "internal",
    message: "does not see {secrets} any longer",
    why: "The secret itself stays until an administrator removes it.",
  },
  "function-network-widened": {
    kind: "additive",
    message: "reaches {hosts}",
    why: "For reviewers: what the handler sees can be sent to hosts that it did not reach.",
  },
  "function-network-narrowed": {
    kind: "internal",
    message: "does not reach {hosts} any longer",
    why: "`ctx.fetch` refuses them.",
  },
  "function-mail-allowed": {
    kind: "additive",
    message: "sends mail",
    why: "For reviewers: what the handler sees can be sent to anybody, in the name of the realm.",
  },
  "function-mail-removed": {
    kind: "internal",
    message: "does not send mail any longer",
    why: "`ctx.mail` is not there.",
  },
} as const satisfies Changes;

export const diagnose = diagnoser(codes);

const hosts: FunctionCheck = ({ fn, file, faults }) =>
  fn.network.flatMap((entry, at) => {
    const path = ["network", at];
    const problem = faults.touch(file.path, path) ? undefined : hostProblem(entry);
    if (problem === undefined) return [];
    const { what, hint } = problem;
    return [diagnose("function-network", locate(file, path), { entry, problem: what }, { hint })];
  });

interface Problem {
  readonly what: string;
  readonly hint?: string | undefined;
}

const label = "(?!-)[a-z0-9-]{1,63}(?<!-)";
const name = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})+$`);
const withPort = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/;

function hostProblem(entry: string): Problem | undefined {
  const [, six, four, port] = withPort.exec(entry) ?? [];
  const address = six ?? four ?? "";
  if (port !== undefined && isIP(address) === (six === undefined ? 4 : 6))
    return Number(port) >= 1 && Number(port) <= 65_535 ? undefined : { what: "there is no such port" };
  if (isIP(entry) !== 0)
    return {
      what: "an address stands with its port",
      hint: isIP(entry) === 6 ? `write '[${entry}]:443'` : `write '${entry}:443'`,
    };
  const [, written = ""] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(entry) ?? [];
  if (written !== "")
    return { what: "it is an address of a page", hint: `write '${written.replace(/^.*@|:\d+$/g, "")}'` };
  if (entry !== entry.toLowerCase())
    return { what: "names are in lower case", hint: `write '${entry.toLowerCase()}'` };
  if (entry === "localhost" || entry.endsWith(".localhost"))
    return {
      what: "this machine is reached by its address",
      hint: "write '127.0.0.1:9000', with the port that is meant",
    };
  if (port !== undefined) return { what: "a name stands without a port", hint: `write '${address}'` };
  if (/^\*(?:\.[^.]*)?$/.test(entry)) return { what: "this would be nearly all hosts" };
  if (entry.length > 255 || /^[\d.]+$/.test(entry) || !name.test(entry))
    return { what: "it is neither a name nor an address with its port" };
  return undefined;
}

const sender: FunctionCheck = ({ fn, file, faults, settings, realm }) => {
  if (!fn.mail || realm.email !== undefined) return [];
  if (faults.touch(settings.path, ["email"]) || faults.cover(settings.path, ["auth"])) return [];
  return [diagnose("function-mail", locate(file, ["mail"], "key"), {})];
};

/** Whether all that an entry of `network` names is reached by those of a list. */
function isReached(entry: string, network: readonly string[]): boolean {
  return network.some(
    (other) =>
      other === entry || (other.startsWith("*.") && entry.replace(/^\*/, "").endsWith(other.slice(1))),
  );
}

export const reach = functionSetting({
  codes,
  changes,
  compare: (old, now, place, report) => {
    const { gone, added } = turnover(old.secrets, now.secrets);
    if (added) report("function-secret-added", `${place} secrets`, { secrets: added });
    if (gone) report("function-secret-removed", `${place} secrets`, { secrets: gone });
    const [reached, left] = [
      now.network.filter((entry) => !isReached(entry, old.network)),
      old.network.filter((entry) => !isReached(entry, now.network)),
    ];
    if (reached.length > 0)
      report("function-network-widened", `${place} network`, { hosts: reached.join(", ") });
    if (left.length > 0) report("function-network-narrowed", `${place} network`, { hosts: left.join(", ") });
    if (old.mail !== now.mail)
      report(now.mail ? "function-mail-allowed" : "function-mail-removed", `${place} mail`, {});
  },
  checks: [hosts, sender],
  read: ({ file, given }): Pick<RealmFunction, "secrets" | "secretsSpan" | "network" | "mail"> => ({
    secrets: given.read("secrets", texts),
    ...(given.value["secrets"] !== undefined && { secretsSpan: locate(file, ["secrets"]) }),
    network: given.read("network", texts),
    mail: given.read("mail", flag),
  }),
  definition: ({ fn: { secrets, network, mail } }) => ({ secrets, network, mail }),
  effective: ({ fn: { secrets, network, mail } }) => ({
    secrets: [...secrets],
    network: [...network],
    mail,
  }),
});
