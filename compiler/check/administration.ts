/** Checks of what realm.yaml says of administrators. */
import ipaddr from "ipaddr.js";
import { parseNetwork } from "../../runtime/http/address.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { RealmCheck } from "../settings/subject.ts";
import { locate, nodeAt, type Path } from "../source/source.ts";

/** Roles that administer, given to everybody who signs up. */
export const defaultAdministrators: RealmCheck = ({ realm, settings, faults }) => {
  const { signup, roles, defaultRoles } = realm;
  const touched = ["signup", "roles", "default_roles"].some((key) => faults.touch(settings.path, [key]));
  if (!realm.auth || signup === "closed" || touched) return [];
  return defaultRoles.flatMap((name, at) => {
    const role = roles.find((each) => each.name === name);
    if (role?.admin === undefined) return [];
    const code = signup === "open" ? "default-role-open" : "default-role-invited";
    const related = [
      { message: "the role is declared here", span: locate(settings, ["roles", name], "key") },
    ];
    return [diagnose(code, locate(settings, ["default_roles", at]), { role: name }, { related })];
  });
};

/** What speaks of administrators that no role makes. */
export const unusedAdministration: RealmCheck = ({ realm, settings, faults }) => {
  if (!realm.auth || faults.touch(settings.path, ["roles"])) return [];
  const unused = (path: Path, needs: string) => {
    if (nodeAt(settings, path) === undefined || faults.touch(settings.path, path)) return [];
    return [diagnose("admin-setting-unused", locate(settings, path, "key"), { key: path.join("."), needs })];
  };
  const administers = realm.roles.some(({ admin }) => admin !== undefined);
  const reads = realm.roles.some(({ admin }) => admin === "read");
  return [
    ...(administers
      ? []
      : ["admin_idle_timeout", "admin_max_lifetime"].flatMap((key) =>
          unused(["sessions", key], "administers"),
        )),
    ...(reads
      ? []
      : realm.admin.readAccess.flatMap((area) =>
          unused(["admin", "read_access", area], "has `admin: read`"),
        )),
  ];
};

/** `admin.allowed_networks` are networks, or addresses. */
export const allowedNetworks: RealmCheck = ({ realm, settings, faults }) => {
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

/** The first address of a network. */
function firstOf(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return address instanceof ipaddr.IPv4
    ? ipaddr.IPv4.networkAddressFromCIDR(network)
    : ipaddr.IPv6.networkAddressFromCIDR(network);
}
