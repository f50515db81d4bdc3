/** `organizations.members_show`: members of users' profiles, as `profile.<member>`. */
import { didYouMean } from "../../../../runtime/suggest.ts";
import { type Codes, diagnoser } from "../../../diagnostics/diagnose.ts";
import { type DeclaredFields, declaredFields } from "../../../model/fields.ts";
import { locate } from "../../../source/source.ts";
import type { RealmCheck } from "../../subject.ts";

export const shownCodes = {
  "unknown-profile-member": {
    severity: "error",
    summary: "Members of an organization are to see what no profile declares.",
    message: "'{member}' is not declared under profile",
    explanation:
      "`organizations.members_show` lists members of users' profiles that the members of an organization see of each other. The schema `profile` of realm.yaml declares them, so that answers and clients are typed by it.",
    wrong: {
      "realm.yaml":
        "auth: enabled\nprofile: { type: object, properties: { name: { type: string } } }\norganizations:\n  roles: { owner: { manage: [org] } }\n  creator_roles: [owner]\n  members_show: [profile.nmae]",
    },
    right: {
      "realm.yaml":
        "auth: enabled\nprofile: { type: object, properties: { name: { type: string } } }\norganizations:\n  roles: { owner: { manage: [org] } }\n  creator_roles: [owner]\n  members_show: [profile.name]",
    },
  },
} as const satisfies Codes;

const diagnose = diagnoser(shownCodes);

/** What entries begin with. */
export const inProfile = "profile.";

/** The member that an entry names; undefined for what names none, of which validation has said so. */
export function profileMember(entry: string): string | undefined {
  const name = entry.startsWith(inProfile) ? entry.slice(inProfile.length) : "";
  return name === "" || name.includes(".") ? undefined : name;
}

/** Entries name members that the profile's schema declares at its top. */
export const shownMembers: RealmCheck = ({ realm, settings, faults }) => {
  const place = ["organizations", "members_show"];
  const shown = realm.auth ? (realm.organizations?.membersShow ?? []) : [];
  const isUnknown = [place, ["profile"]].some((path) => faults.touch(settings.path, path));
  if (shown.length === 0 || isUnknown) return [];
  const { fields = [], open = [] }: Partial<DeclaredFields> =
    realm.profile === undefined ? {} : declaredFields(realm.profile);
  if (open.includes("")) return [];
  const names = fields.map(({ path }) => path).filter((path) => !path.includes("."));
  return shown.flatMap((name, at) => {
    if (names.includes(name)) return [];
    const meant = didYouMean(name, names);
    const hint = meant ?? "declare it under profile, as { type: object, properties: … }";
    const member = `${inProfile}${name}`;
    return [diagnose("unknown-profile-member", locate(settings, [...place, at]), { member }, { hint })];
  });
};
