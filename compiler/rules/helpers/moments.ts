/** Helpers that say how long before or after the request a moment is. */
import { ago, ahead } from "../../../runtime/rules/index.ts";
import { namesOf } from "./names.ts";

/** What they come to, from the moment of the request and milliseconds; emitted code calls them, by their names. */
const declared = { ago, ahead } as const;

export type MomentHelper = keyof typeof declared;

export const momentHelpers: Readonly<Record<MomentHelper, (now: string, milliseconds: number) => string>> =
  declared;

export const momentHelperNames: readonly MomentHelper[] = namesOf(momentHelpers);
