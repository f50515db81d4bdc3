import { accountRoutes, secondFactorRoutes } from "../../../auth/accounts/routes.ts";
import { administrationRoutes, userAdministrationRoutes } from "../../../auth/administration/routes.ts";
import { changeUser } from "../../../auth/users.ts";
import { createDocument } from "../../../documents/routes/create.ts";
import { getDocument } from "../../../documents/routes/get.ts";
import { listDocuments } from "../../../documents/routes/list.ts";
import { tickets as ofOrganizations } from "../../../documents/testing/organizations.ts";
import { collection } from "../../../documents/testing/shop.ts";
import { fileRoutes } from "../../../files/routes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../json.ts";
import { organizationAdministrationRoutes } from "../../../organizations/administration/routes.ts";
import { organizationRoutes } from "../../../organizations/routes.ts";
import { organizationSettings } from "../../../organizations/testing/realm.ts";
import type { RealmModule } from "../../../realm/exchange.ts";
import { byCaller } from "../../../rules/index.ts";
import { manySignups, type Started } from "../../testing/servers.ts";

const year = 365 * 86_400_000;

/**
 * A realm with accounts, organizations, keys and files: `main/notes` are anybody's who signed in, `main/tickets` to
 * organizations, with up to three files in `scans`.
 */
export function peopleModule(realm: string): RealmModule {
  const tickets = {
    ...ofOrganizations,
    realm,
    references: {},
    files: [{ name: "scans", accept: ["*/*"], maxSize: 2 ** 24, maxFiles: 3, upload: "proxy" as const }],
  };
  const signedIn = byCaller(({ user }) => user !== undefined);
  const rules = { create: signedIn, read: signedIn, update: signedIn, delete: signedIn };
  const notes = collection("notes", { realm, rules });
  const collections = [notes, tickets];
  const documentRoutes = collections.map((definition) => {
    const path = `/v1/${realm}/main/${definition.name}`;
    return {
      [path]: { GET: listDocuments(definition), POST: createDocument(definition) },
      [`${path}/:id`]: { GET: getDocument(definition) },
    };
  });
  const definition = {
    name: realm,
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    accounts: {
      signup: "open" as const,
      signupLimit: manySignups,
      roles: [{ name: "boss", admin: true as const }, { name: "reader" }],
      defaultRoles: [],
      sessionLifetime: year,
      sessionIdleTimeout: year,
      adminIdleTimeout: year,
      adminMaxLifetime: year,
      readAccess: [],
      totp: true,
      organizations: organizationSettings,
    },
    storage: { driver: { kind: "local" as const }, quota: 2 ** 30 },
    collections,
  };
  return {
    definition,
    routes: [
      ...documentRoutes,
      accountRoutes(realm),
      secondFactorRoutes(realm),
      administrationRoutes(realm),
      userAdministrationRoutes(realm),
      organizationRoutes(realm),
      organizationAdministrationRoutes(realm),
      fileRoutes(realm, collections),
    ],
  };
}

export interface Answered {
  readonly status: number;
  readonly body: JsonObject;
}

/** Sends requests to a realm of a server, as whoever has the token. */
export function asker({ url }: Pick<Started, "url">, realm: string) {
  return async (
    token: string | undefined,
    method: string,
    path: string,
    body?: JsonValue,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answered> => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...more,
    };
    const response = await fetch(`${url}/v1/${realm}/${path}`, {
      ...{ method, headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const read: unknown = text === "" ? {} : JSON.parse(text);
    return { status: response.status, body: isJsonObject(read) ? read : {} };
  };
}

/** A text at a path of an answer. */
export function textAt({ body }: Answered, ...path: readonly string[]): string {
  let value: JsonValue | undefined = body;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  if (typeof value !== "string") throw new Error(`${path.join(".")} is missing in ${JSON.stringify(body)}`);
  return value;
}

/** Marks an address as verified. */
export async function verified(server: Started, realm: string, id: string): Promise<void> {
  await changeUser(server.store(realm), id, (user) => ({ ...user, email_verified: true }));
}
