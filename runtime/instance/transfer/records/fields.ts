/** How members of records are read from lines: what is not of the form that the service gives it is told. */
import { type CheckName, checks } from "../../../contract/checks.ts";
import type { Detail } from "../../../errors.ts";
import { storedDate } from "../../../filter/dates.ts";
import { isGeneratedId, isId } from "../../../ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../json.ts";

/** What a member may be. @param value never null @returns undefined: another value; a text: why it is wrong */
export interface Form<T> {
  readonly is: string;
  read(value: JsonValue, told: (reason: string) => void): T | undefined;
}

/** Reads an object member by member. */
export class Fields {
  readonly problems: Detail[] = [];
  readonly #members: JsonObject;
  readonly #path: string;
  readonly #known = new Set<string>();

  /** @param path of the object, with a dot at its end where there is one */
  constructor(members: JsonObject, path = "") {
    this.#members = members;
    this.#path = path;
  }

  /** @param absent what it is where it is null, not there, or wrong */
  optional<T, A>(name: string, form: Form<T>, absent: A): T | A {
    const value = this.#value(name);
    return value === undefined ? absent : (this.#read(name, form, value) ?? absent);
  }

  /** @param standIn what it is where it is wrong: nothing is made of that */
  required<T>(name: string, form: Form<T>, standIn: T): T {
    const value = this.#value(name);
    if (value !== undefined) return this.#read(name, form, value) ?? standIn;
    this.tell(name, "is required");
    return standIn;
  }

  /** Objects in an array, each read by its members. */
  each<T>(name: string, read: (fields: Fields) => T): readonly T[] {
    const objects = this.optional(name, arrayOfObjects, []);
    return objects.map((object, at) => {
      const fields = new Fields(object, `${this.#path}${name}.${at}.`);
      const made = read(fields);
      fields.end();
      this.problems.push(...fields.problems);
      return made;
    });
  }

  tell(name: string, reason: string): void {
    this.problems.push({ path: `${this.#path}${name}`, reason });
  }

  /** There is nothing that was not asked for. */
  end(): void {
    for (const name of Object.keys(this.#members))
      if (!this.#known.has(name)) this.tell(name, "is not allowed");
  }

  #value(name: string): JsonValue | undefined {
    this.#known.add(name);
    const value = Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
    return value === null ? undefined : value;
  }

  #read<T>(name: string, form: Form<T>, value: JsonValue): T | undefined {
    const before = this.problems.length;
    const read = form.read(value, (reason) => this.tell(name, reason));
    if (read === undefined && this.problems.length === before) this.tell(name, `must be ${form.is}`);
    return read;
  }
}

export const flag: Form<boolean> = {
  is: "true or false",
  read: (value) => (typeof value === "boolean" ? value : undefined),
};

export const object: Form<JsonObject> = {
  is: "an object",
  read: (value) => (isJsonObject(value) ? value : undefined),
};

const arrayOfObjects: Form<readonly JsonObject[]> = {
  is: "an array of objects",
  read: (value) => (Array.isArray(value) && value.every((one) => isJsonObject(one)) ? value : undefined),
};

export const strings: Form<readonly string[]> = {
  is: "an array of strings",
  read: (value) =>
    Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined,
};

/** As it is stored. */
export const time: Form<string> = {
  is: "a time in UTC such as 2026-01-31T08:00:00.000Z",
  read: (value) =>
    typeof value === "string" && storedDate(value, "date-time") === value ? value : undefined,
};

export const generatedId: Form<string> = {
  is: "a generated id, 20 of 0-9 a-z without i, l, o and u",
  read: (value) => (typeof value === "string" && isGeneratedId(value) ? value : undefined),
};

export const anyId: Form<string> = {
  is: "an id",
  read: (value) => (typeof value === "string" && isId(value) ? value : undefined),
};

/** A text of this form. */
export function like(form: RegExp, is: string): Form<string> {
  return { is, read: (value) => (typeof value === "string" && form.test(value) ? value : undefined) };
}

/** A text that a check of the API takes. */
export function checked(name: CheckName): Form<string> {
  return {
    is: "a string",
    read: (value, told) => (typeof value === "string" ? checks[name](value, told) : undefined),
  };
}

/** One of several words. */
export function word<const Word extends string>(words: readonly Word[]): Form<Word> {
  return { is: `one of ${words.join(", ")}`, read: (value) => words.find((one) => one === value) };
}
