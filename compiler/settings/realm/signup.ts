/** `signup` and `signup_limit`: who may make an account, and how many are taken from one place. */
import type { AccountSettings } from "../../../runtime/realm/definition.ts";
import { printRate, type Rate } from "../../../runtime/units.ts";
import { oneOf, rate } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import type { Changes, Report } from "../change.ts";
import { movedOn } from "../words.ts";
import { accountSetting } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly signup: AccountSettings["signup"];
    readonly signupLimit: AccountSettings["signupLimit"];
  }
}

const changes = {
  "signup-narrowed": {
    kind: "breaking",
    message: "signup was {old} and is {new}",
    why: "People who could sign up cannot.",
  },
  "signup-widened": {
    kind: "additive",
    message: "signup was {old} and is {new}",
    why: "More people can sign up.",
  },
  "signup-limit-lowered": {
    kind: "breaking",
    message: "{old} sign-ups of one {from} were taken, {new} are",
    why: "Where many people share an address or a network, some who could sign up are told to try again later.",
  },
  "signup-limit-raised": {
    kind: "additive",
    message: "{old} sign-ups of one {from} were taken, {new} are",
    why: "More people can sign up from one place.",
  },
} as const satisfies Changes;

function compareSignupLimits(
  { signupLimit: old }: Realm,
  { signupLimit: now }: Realm,
  report: Report<typeof changes>,
): void {
  for (const from of ["address", "network"] as const) {
    const [before, after] = [old[from], now[from]];
    const parameters = { old: printRate(before), new: printRate(after), from };
    if (parameters.old === parameters.new) continue;
    report(
      admitsAll(after, before) ? "signup-limit-raised" : "signup-limit-lowered",
      `signup_limit.${from}`,
      parameters,
    );
  }
}

/** Whether one rate admits everything, whenever it comes, that the other admits. */
function admitsAll(one: Rate, other: Rate): boolean {
  return one.limit >= other.limit * Math.ceil(one.period / other.period);
}

export const signup = accountSetting(["signup", "signup_limit"], {
  changes,
  compare: ({ realm: old }, { realm: now }, report) => {
    const way = movedOn(["closed", "invite", "open"], old.signup, now.signup);
    if (way !== undefined) report(`signup-${way}`, "signup", { old: old.signup, new: now.signup });
    compareSignupLimits(old, now, report);
  },
  read: ({ given }) => {
    const limit = given.in("signup_limit");
    return {
      signup: given.read("signup", oneOf("open", "invite", "closed")),
      signupLimit: { address: limit.read("address", rate), network: limit.read("network", rate) },
    };
  },
  accounts: ({ realm: { signup, signupLimit } }) => ({ signup, signupLimit }),
  effective: ({ realm: { signup, signupLimit: limit } }) => ({
    signup,
    signup_limit: { address: printRate(limit.address), network: printRate(limit.network) },
  }),
});
