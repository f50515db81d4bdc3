/** `app_config`: values for programs and rules, until administrators replace them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { object } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import type { CompiledFunction, CompiledRule, CompiledRules } from "../../rules/compiled.ts";
import { valuesIn } from "../../rules/form/form.ts";
import { canonicalJson } from "../../source/meaning.ts";
import { locate, type Path } from "../../source/source.ts";
import type { Changes, Report } from "../change.ts";
import { type CompiledRealm, realmSetting } from "../setting.ts";
import type { RealmCheck } from "../subject.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly appConfig: JsonObject;
  }
}

const codes = {
  "app-config-secret": {
    severity: "warning",
    summary: "A value of `app_config` looks like a secret.",
    message: "the value of '{key}' looks like {secret}",
    hint: "withdraw it, since it stands in this file's history, and keep secrets in the environment of what uses them",
    explanation:
      "`app_config` is configuration: it is kept with the sources, recorded in the output, and administrators read it. The value is not repeated here.",
    wrong: { "realm.yaml": "auth: enabled\napp_config:\n  payment_key: sk_live_4eC39HqLyjWDarjtT1zdp7dc" },
    right: { "realm.yaml": "auth: enabled\napp_config:\n  payment_page: https://pay.example.com" },
  },
} as const satisfies Codes;

const changes = {
  "app-config-changed": {
    kind: "internal",
    message: "was {old} and is {new}; rules that read it: {rules}",
    why: "It is a default that administrators replace at run time; rules that read it are named.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** By forms that those who issue them gave them, so that they be found. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/\b[sr]k_(?:live|test)_[A-Za-z0-9]{8,}/, "a secret key of a payment service"],
  [/\bwhsec_[A-Za-z0-9+/]{16,}/, "the secret of a webhook"],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/, "an access key of a cloud"],
  [/\b(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,})/, "an access token of a code host"],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,}/, "an access token of a chat service"],
  [/\bSG\.[\w-]{16,}\.[\w-]{16,}/, "a key of a mail service"],
  [/\bsk-(?:proj-|ant-)?[\w-]{32,}/, "a key of a model's provider"],
  [/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/, "a private key"],
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/, "a signed token"],
  [/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:[^/?#\s@]+@/i, "an address with a password"],
];

/** Values of `app_config` of such a form; messages do not repeat them. */
const configuredSecrets: RealmCheck = ({ realm, settings }) =>
  textsIn(realm.appConfig, ["app_config"]).flatMap(({ path, text }) => {
    const [, secret] = forms.find(([form]) => form.test(text)) ?? [];
    if (secret === undefined) return [];
    return [diagnose("app-config-secret", locate(settings, path), { key: path.join("."), secret })];
  });

function textsIn(value: JsonValue | undefined, path: Path): { readonly path: Path; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(item, [...path, at]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name]));
}

function compareConfig(old: CompiledRealm, now: CompiledRealm, report: Report<typeof changes>): void {
  const readers = [...new Set([...configReaders(old), ...configReaders(now)])].sort();
  for (const { path, ...values } of changedConfig(old.realm, now.realm)) {
    const rules = readers
      .filter((each) => each.startsWith(`${path} `))
      .map((each) => each.slice(path.length + 1));
    report("app-config-changed", `app_config.${path}`, { ...values, rules: rules.join(", ") || "none" });
  }
}

/** `trial_days support/tickets rules.read` of every rule that reads a member of `appConfig`. */
function configReaders({ rules }: CompiledRealm): string[] {
  return [
    ...readersOf("organizations.create", rules.createOrganization),
    ...[...rules.collections].flatMap(collectionReaders),
    ...[...rules.functions].flatMap(functionReaders),
  ];
}

function collectionReaders([place, { rules: own, fieldRules }]: readonly [string, CompiledRules]): string[] {
  const named = [
    ...Object.entries(own).map(([name, rule]) => [`rules.${name}`, rule] as const),
    ...fieldRules.flatMap(({ path, read, write }) => [
      [`fields.${path}.read`, read] as const,
      [`fields.${path}.write`, write] as const,
    ]),
  ];
  return named.flatMap(([name, rule]) => readersOf(`${place} ${name}`, rule));
}

function functionReaders([place, { invoke, whens }]: readonly [string, CompiledFunction]): string[] {
  const name = place.replace("/", "/_func/");
  return [
    ...readersOf(`${name} invoke`, invoke),
    ...whens.flatMap((when, at) => readersOf(`${name} triggers[${at}].when`, when)),
  ];
}

function readersOf(name: string, rule: CompiledRule | undefined): string[] {
  return [...(rule === undefined ? [] : valuesIn(rule.form.condition))].flatMap((value) =>
    value.kind === "read" && value.root === "appConfig" ? [`${value.path[0]} ${name}`] : [],
  );
}

/** Members of `app_config` that are others, by their paths. */
function changedConfig(old: Realm, now: Realm): { path: string; old: string; new: string }[] {
  const names = [...new Set([...Object.keys(old.appConfig), ...Object.keys(now.appConfig)])].sort();
  return names.flatMap((name) => {
    const [before, after] = [old, now].map(({ appConfig }) =>
      appConfig[name] === undefined ? "absent" : canonicalJson(appConfig[name]),
    );
    return before === undefined || after === undefined || before === after
      ? []
      : [{ path: name, old: before, new: after }];
  });
}

export const appConfig = realmSetting({
  codes,
  changes,
  checks: [configuredSecrets],
  compare: compareConfig,
  read: ({ given }) => ({ appConfig: given.read("app_config", object) }),
  definition: (of) => ({
    appConfig: of.realm.appConfig,
    readsAppConfig: configReaders(of).length > 0 || undefined,
  }),
});
