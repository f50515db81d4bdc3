/** `profile`: what users say of themselves. Its schema is read and compared with those of documents. */
import { imported } from "../../../templates/print/code.ts";
import type { Realm } from "../../model/model.ts";
import type { Schema } from "../../schema/place.ts";
import { accountSetting } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly profile?: Schema;
  }
}

export const profile = accountSetting(["profile"], {
  read: (): Pick<Realm, "profile"> => ({}),
  accounts: ({ realm: { profile } }) => ({
    validateProfile: profile && imported("validate", "./profile.validate.js", "validateProfile"),
  }),
  // Whether profiles have a schema.
  effective: ({ realm: { profile } }) => ({ profile: profile !== undefined }),
});
