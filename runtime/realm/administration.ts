/** What administration is divided into (spec: Authentication 10). */
export const adminAreas = [
  "users",
  "invitations",
  "apikeys",
  "secrets",
  "audit",
  "functions",
  "data",
  "config",
] as const;

export type AdminArea = (typeof adminAreas)[number];

/** The areas among names, each once and in their order; false where there are none. */
export function areasAmong(names: readonly unknown[]): readonly AdminArea[] | false {
  const areas = adminAreas.filter((area) => names.includes(area));
  return areas.length > 0 && areas;
}

/** `admin` of a role or key: everything, reading, or some areas. */
export type AdminGrant = true | "read" | readonly AdminArea[];

/** What a credential may administer. */
export interface Administration {
  /** `admin: true`: everything, keys with administration included. */
  readonly full: boolean;
  readonly change: ReadonlySet<AdminArea>;
  /** What it may look at; whatever it may change is among it. */
  readonly see: ReadonlySet<AdminArea>;
}

const all: ReadonlySet<AdminArea> = new Set(adminAreas);
const none: ReadonlySet<AdminArea> = new Set();

/** Areas that `admin: read` does not cover unless the realm's `admin.read_access` says so. */
export type ReadAccess = "users" | "data";

/**
 * What several grants give together; undefined when they give nothing.
 * @param readAccess what `admin: read` covers beside the other areas
 */
export function administrationOf(
  grants: readonly AdminGrant[],
  readAccess: readonly ReadAccess[],
): Administration | undefined {
  if (grants.includes(true)) return { full: true, change: all, see: all };
  const change = new Set(grants.flatMap((grant) => (typeof grant === "object" ? grant : [])));
  const reads = grants.includes("read");
  if (change.size === 0 && !reads) return undefined;
  const isReadable = (area: AdminArea) => (area !== "users" && area !== "data") || readAccess.includes(area);
  const readable = reads ? adminAreas.filter(isReadable) : none;
  return { full: false, change, see: new Set([...change, ...readable]) };
}

/** Whether one administration holds all that another holds: nobody grants more, or rules over more, than they hold. */
export function covers(one: Administration | undefined, other: Administration | undefined): boolean {
  if (other === undefined) return true;
  if (one === undefined || (other.full && !one.full)) return false;
  return (
    [...other.change].every((area) => one.change.has(area)) &&
    [...other.see].every((area) => one.see.has(area))
  );
}
