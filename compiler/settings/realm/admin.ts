/** `admin`: from where a realm is administered, and what reading administrators see. */
import ipaddr from "ipaddr.js";
import { parseNetwork } from "../../../runtime/http/address.ts";
import type { ReadAccess } from "../../../runtime/realm/administration.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { flag, texts } from "../../model/given.ts";
import { locate, nodeAt, type Path } from "../../source/source.ts";
import type { Changes, Report } from "../change.ts";
import { realmSetting } from "../setting.ts";
import type { RealmCheck, RealmSubject } from "../subject.ts";
import { turnover } from "../words.ts";
import { ofUsers } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly admin: {
      readonly allowedNetworks?: readonly string[];
      readonly readAccess: readonly ReadAccess[];
    };
  }
}

const codes = {
  "admin-setting-unused": {
    severity: "warning",
    summary: "A setting about administrators that no role makes.",
    message: "'{key}' has no effect: no role {needs}",
    explanation:
      "The timeouts of administration are about sessions of users whose roles administer; `admin.read_access` widens what `admin: read` covers. API keys are bound by neither.",
    wrong: {
      "realm.yaml": "auth: enabled\nroles:\n  boss: { admin: true }\nadmin: { read_access: { users: true } }",
    },
    right: {
      "realm.yaml":
        "auth: enabled\nroles:\n  support: { admin: read }\nadmin: { read_access: { users: true } }",
    },
  },
  "invalid-network": {
    severity: "error",
    summary: "An entry of admin.allowed_networks is neither a network nor an address.",
    message: "'{network}' is neither a network nor an IP address",
    hint: "write 10.0.0.0/8, 2001:db8::/32 or a whole address",
    explanation:
      "Networks are written in CIDR form: the first address and the length of its prefix. Names of hosts, short forms such as `10.1`, masks and zones (`%eth0`) are refused.",
    wrong: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['10.1/16'] }" },
    right: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['10.1.0.0/16'] }" },
  },
  "network-host-bits": {
    severity: "warning",
    summary: "A network is named by one of the hosts in it.",
    message: "{address} is a host in the network {network}, all of which is allowed",
    hint: "write {network}, or {address} for the host alone",
    explanation:
      "The address has bits beyond its prefix. They count for nothing, and may be a slip: perhaps one host was meant.",
    wrong: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['10.1.2.3/16'] }" },
    right: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['10.1.0.0/16'] }" },
  },
  "network-everywhere": {
    severity: "warning",
    summary: "Networks of administrators that hold every address.",
    message: "{network} holds every address, so it restricts nobody",
    hint: "name the networks that administrators use, or remove allowed_networks",
    explanation:
      "`admin.allowed_networks` refuses administrators from elsewhere. A network of all addresses looks like a restriction and is none.",
    wrong: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['0.0.0.0/0'] }" },
    right: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['192.0.2.0/24'] }" },
  },
} as const satisfies Codes;

const changes = {
  "networks-narrowed": {
    kind: "breaking",
    message: "no administration from {networks} any longer",
    why: "Requests to `_admin` from there are refused.",
  },
  "networks-widened": {
    kind: "additive",
    message: "administration from {networks}",
    why: "Requests to `_admin` from there are accepted.",
  },
  "read-access-narrowed": {
    kind: "breaking",
    message: "`admin: read` does not cover {areas} any longer",
    why: "Reading administrators see less.",
  },
  "read-access-widened": {
    kind: "additive",
    message: "`admin: read` covers {areas}",
    why: "Reading administrators see more.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** What speaks of administrators that no role makes. */
export function unused({ realm, settings, faults }: RealmSubject, path: Path, needs: string): Diagnostic[] {
  if (!realm.auth || faults.touch(settings.path, ["roles"])) return [];
  if (nodeAt(settings, path) === undefined || faults.touch(settings.path, path)) return [];
  return [diagnose("admin-setting-unused", locate(settings, path, "key"), { key: path.join("."), needs })];
}

const unusedReadAccess: RealmCheck = (subject) => {
  const { roles, admin } = subject.realm;
  if (roles.some((role) => role.admin === "read")) return [];
  return admin.readAccess.flatMap((area) =>
    unused(subject, ["admin", "read_access", area], "has `admin: read`"),
  );
};

const allowedNetworks: RealmCheck = ({ realm, settings, faults }) => {
  const path = ["admin", "allowed_networks"];
  if (faults.touch(settings.path, path)) return [];
  return (realm.admin.allowedNetworks ?? []).flatMap((text, at) => {
    const span = locate(settings, [...path, at]);
    const network = parseNetwork(text);
    const [address, bits] = network ?? [];
    if (address === undefined || text.includes("%")) {
      return [diagnose("invalid-network", span, { network: text })];
    }
    if (bits === 0) return [diagnose("network-everywhere", span, { network: text })];
    const first = firstOf(address, `${address}/${bits}`);
    return `${first}` === `${address}`
      ? []
      : [diagnose("network-host-bits", span, { address: `${address}`, network: `${first}/${bits}` })];
  });
};

function firstOf(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return address instanceof ipaddr.IPv4
    ? ipaddr.IPv4.networkAddressFromCIDR(network)
    : ipaddr.IPv6.networkAddressFromCIDR(network);
}

/** Without a list administration is allowed from everywhere. */
function compareNetworks(
  old: readonly string[] | undefined,
  now: readonly string[] | undefined,
  report: Report<typeof changes>,
): void {
  const where = "admin.allowed_networks";
  const [before, after] = [old ?? everywhere, now ?? everywhere];
  const uncovered = (these: readonly string[], those: readonly string[]): string[] =>
    these.filter((network) => !those.some((other) => contains(other, network)));
  const [gone, added] = [uncovered(before, after), uncovered(after, before)];
  const named = (networks: readonly string[], whole: boolean): string =>
    whole ? "everywhere" : networks.join(", ");
  if (gone.length > 0) report("networks-narrowed", where, { networks: named(gone, old === undefined) });
  if (added.length > 0) report("networks-widened", where, { networks: named(added, now === undefined) });
}

const everywhere: readonly string[] = ["0.0.0.0/0", "::/0"];

function contains(network: string, other: string): boolean {
  const [outer, inner] = [parseNetwork(network), parseNetwork(other)];
  if (outer === undefined || inner === undefined) return network === other;
  const [[from, bits], [address, length]] = [outer, inner];
  return from.kind() === address.kind() && length >= bits && within(address, from, bits);
}

function within(address: ipaddr.IPv4 | ipaddr.IPv6, from: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean {
  const bytes = from.toByteArray();
  return address.toByteArray().every((byte, at) => {
    const kept = Math.min(8, Math.max(0, bits - at * 8));
    return byte >> (8 - kept) === (bytes[at] ?? 0) >> (8 - kept);
  });
}

const areas: readonly ReadAccess[] = ["users", "data"];

export const admin = realmSetting({
  codes,
  changes,
  checks: [ofUsers(["admin", "read_access"]), unusedReadAccess, allowedNetworks],
  compare: ({ realm: old }, { realm: now }, report) => {
    compareNetworks(old.admin.allowedNetworks, now.admin.allowedNetworks, report);
    if (!old.auth || !now.auth) return;
    const { gone, added } = turnover(old.admin.readAccess, now.admin.readAccess);
    if (gone) report("read-access-narrowed", "admin.read_access", { areas: gone });
    if (added) report("read-access-widened", "admin.read_access", { areas: added });
  },
  read: ({ given }) => {
    const own = given.in("admin");
    const readable = own.in("read_access");
    return {
      admin: {
        ...(own.value.allowed_networks === undefined
          ? {}
          : { allowedNetworks: own.find("allowed_networks", texts) ?? [] }),
        readAccess: areas.filter((area) => readable.read(area, flag)),
      },
    };
  },
  definition: ({ realm }) => ({ adminNetworks: realm.admin.allowedNetworks }),
  accounts: ({ realm }) => ({ readAccess: realm.admin.readAccess }),
  effective: ({ realm: { auth, admin: own } }) => ({
    admin: {
      allowed_networks: own.allowedNetworks ?? null,
      ...(auth && {
        read_access: Object.fromEntries(areas.map((area) => [area, own.readAccess.includes(area)])),
      }),
    },
  }),
});
