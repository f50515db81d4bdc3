/** Secrets that do not belong into configuration. */
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { RealmCheck } from "../settings/subject.ts";
import { locate, type Path } from "../source/source.ts";

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
export const configuredSecrets: RealmCheck = ({ realm, settings }) =>
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
