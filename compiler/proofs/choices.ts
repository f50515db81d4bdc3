/** Roles of which every choice is tried. */
const MAX_COMBINED = 5;

/** Roles that somebody may hold: none, each, all, then those between. */
export function choicesOf(roles: readonly string[]): readonly string[][] {
  const few = roles.slice(0, MAX_COMBINED).sort();
  const choices = Array.from({ length: 2 ** few.length }, (_, choice) =>
    few.filter((_role, at) => (choice >> at) & 1),
  );
  const between = choices.filter((some) => some.length > 1 && some.length < roles.length);
  return [[], ...roles.map((role) => [role]), ...(roles.length > 1 ? [[...roles]] : []), ...between];
}
