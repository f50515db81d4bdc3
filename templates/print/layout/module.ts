/** Modules that templates print: their statements, laid out. */
import { type Doc, group, hardLine, indented, line, printed, separated, whereBroken } from "./document.ts";
import { assigned, expressionOf, parameterOf, parametersDoc } from "./expressions.ts";
import { Tokens } from "./tokens.ts";
import { inLines, interfaceBody, listed, typeBehind, typeOf } from "./types.ts";
import { commentsBefore } from "./words.ts";

/**
 * The statements of a module in lines of `width` columns, where that is possible.
 * @throws SyntaxError when the text is none of those that templates print.
 */
export function laidOut(text: string, width: number): string {
  const tokens = new Tokens(text);
  return printed(
    statements(tokens, () => tokens.isAtEnd),
    width,
  );
}

/** One line stays empty where lines are, but not before the first. */
function statements(tokens: Tokens, isOver: () => boolean): Doc {
  const docs: Doc[] = [];
  while (!isOver()) {
    if (docs.length > 0) docs.push(tokens.linesBefore > 1 ? [hardLine, hardLine] : hardLine);
    docs.push(commentsBefore(tokens), statement(tokens));
  }
  return docs;
}

function statement(tokens: Tokens): Doc {
  if (tokens.peek() === "export" && ["*", "{"].includes(tokens.peek(1))) return reexport(tokens);
  const words: string[] = [];
  while (["export", "default", "declare"].includes(tokens.peek())) words.push(`${tokens.next()} `);
  const before = words.join("");
  switch (tokens.peek()) {
    case "type":
      return typeDeclaration(tokens, before);
    case "interface":
      return interfaceDeclaration(tokens, before);
    case "const":
      return constant(tokens, before);
    case "function":
      return functionDeclaration(tokens, before);
    case "return": {
      tokens.next();
      const { doc } = expressionOf(tokens);
      return [before, "return ", doc, end(tokens)];
    }
    default:
      return [before, expressionOf(tokens).doc, end(tokens)];
  }
}

function end(tokens: Tokens): Doc {
  tokens.end();
  return ";";
}

function reexport(tokens: Tokens): Doc {
  tokens.expect("export");
  const names = tokens.takes("*")
    ? "*"
    : listed(tokens, "{", "}", (each) => {
        const name = each.next();
        return each.takes("as") ? `${name} as ${each.next()}` : name;
      });
  tokens.expect("from");
  const braced = typeof names === "string" ? names : `{ ${names.join(", ")} }`;
  return [`export ${braced} from ${tokens.next()}`, end(tokens)];
}

function typeDeclaration(tokens: Tokens, before: string): Doc {
  tokens.expect("type");
  const name: Doc = [before, "type ", tokens.next(), typeParameters(tokens)];
  tokens.expect("=");
  return [group(name, " =", typeBehind(typeOf(tokens), true)), end(tokens)];
}

/** `<Further extends ErrorCode = never>`, where it is there. */
function typeParameters(tokens: Tokens): Doc {
  if (tokens.peek() !== "<") return "";
  const docs = listed(tokens, "<", ">", (each): Doc => {
    const name = each.next();
    const bound = each.takes("extends") ? [" extends ", typeOf(each).doc] : "";
    return [name, bound, each.takes("=") ? [" = ", typeOf(each).doc] : ""];
  });
  return inLines("<", docs, whereBroken(","), ">");
}

function interfaceDeclaration(tokens: Tokens, before: string): Doc {
  tokens.expect("interface");
  const name = [before, "interface ", tokens.next(), typeParameters(tokens)];
  const bases: Doc[] = [];
  if (tokens.takes("extends")) {
    do bases.push(typeOf(tokens).doc);
    while (tokens.takes(","));
  }
  const head =
    bases.length === 0
      ? name
      : group(name, indented(line, "extends ", indented(separated(bases, [",", line]))));
  return [head, " ", interfaceBody(tokens)];
}

function constant(tokens: Tokens, before: string): Doc {
  tokens.expect("const");
  const name = tokens.next();
  const type = tokens.takes(":") ? [": ", typeOf(tokens).doc] : "";
  const left: Doc = [before, "const ", name, type];
  if (!tokens.takes("=")) return [left, end(tokens)];
  return [assigned([left, " ="], expressionOf(tokens)), end(tokens)];
}

function functionDeclaration(tokens: Tokens, before: string): Doc {
  tokens.expect("function");
  const name = tokens.next();
  const head: Doc = [
    ...[before, "function ", name, typeParameters(tokens)],
    parametersDoc(listed(tokens, "(", ")", parameterOf)),
    tokens.takes(":") ? [": ", typeOf(tokens).doc] : "",
  ];
  tokens.expect("{");
  const body = statements(tokens, () => tokens.takes("}"));
  return [group(head), " {", indented(hardLine, body), hardLine, "}"];
}
