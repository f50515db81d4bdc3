/** `mfa`: users may enrol a second factor. */
import { flag } from "../../model/given.ts";
import type { Changes } from "../change.ts";
import { accountSetting } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    /** `mfa.totp`. */
    readonly totp: boolean;
  }
}

const changes = {
  "totp-disabled": {
    kind: "breaking",
    message: "second factors are off",
    why: "The routes under `_auth/mfa` are gone, and rules that ask for `user.mfa` hold for nobody.",
  },
  "totp-enabled": {
    kind: "additive",
    message: "second factors are on",
    why: "The routes under `_auth/mfa` are new; who enrols is asked for a code.",
  },
} as const satisfies Changes;

export const mfa = accountSetting(["mfa"], {
  changes,
  compare: ({ realm: { totp: old } }, { realm: { totp: now } }, report) => {
    if (old !== now) report(now ? "totp-enabled" : "totp-disabled", "mfa.totp", {});
  },
  read: ({ given }) => ({ totp: given.in("mfa").read("totp", flag) }),
  accounts: ({ realm: { totp } }) => ({ totp: totp || undefined }),
  effective: ({ realm: { totp } }) => ({ mfa: { totp } }),
});
