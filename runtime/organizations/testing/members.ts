import type { Person, Received } from "../../auth/testing/accounts.ts";
import type { OrganizationRecord } from "../records.ts";
import type { Organizations } from "./realm.ts";

type Org = Pick<OrganizationRecord, "id">;
type By = Pick<Person, "token">;
type User = Pick<Person, "id">;

/**
 * Requests about the members of an organization.
 * @param server whom they are sent to, unless to another
 */
export function memberRequests(server: () => Organizations) {
  return {
    list({ id }: Org, { token }: By, query = "", on = server()): Promise<Received> {
      return on.send("GET", `/_orgs/${id}/members${query}`, { token });
    },
    patch(
      { id }: Org,
      { token }: By,
      user: User,
      roles: readonly string[],
      on = server(),
    ): Promise<Received> {
      return on.send("PATCH", `/_orgs/${id}/members/${user.id}`, { token, body: { roles } });
    },
    remove({ id }: Org, { token }: By, user: User, on = server()): Promise<Received> {
      return on.send("DELETE", `/_orgs/${id}/members/${user.id}`, { token });
    },
    leave({ id }: Org, { token }: By, on = server()): Promise<Received> {
      return on.send("POST", `/_orgs/${id}/leave`, { token });
    },
  };
}
