/** Expressions with their precedence, so that brackets stand only where they are needed. */
import { type Code, code } from "../../../templates/print/code.ts";
import type { Condition } from "../form/form.ts";

/** From loosely to tightly binding. */
const levels = ["choice", "or", "and", "equality", "unary", "primary"] as const;

export type Level = (typeof levels)[number];

export interface Printed {
  readonly code: Code;
  readonly level: Level;
}

export function printed(text: Code, level: Level = "primary"): Printed {
  return { code: text, level };
}

/** The expression where at least `level` is wanted. */
export function wrapped({ code: text, level: own }: Printed, level: Level): Code {
  return levels.indexOf(own) < levels.indexOf(level) ? code`(${text})` : text;
}

/** The printer of conditions, handed to the printer of values. */
export type Conditions = (condition: Condition) => Printed;
