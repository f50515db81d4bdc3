import { ts } from "@ts-morph/common";

/** What messages call a construct that is not in the language. */
export function constructName(node: ts.Node): string {
  return constructs.find(({ is }) => is(node))?.name ?? ts.SyntaxKind[node.kind] ?? "this";
}

const constructs: readonly { readonly is: (node: ts.Node) => boolean; readonly name: string }[] = [
  {
    is: (node) => ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node),
    name: "a template literal",
  },
  { is: ts.isTaggedTemplateExpression, name: "a tagged template" },
  { is: ts.isRegularExpressionLiteral, name: "a regular expression" },
  { is: ts.isBigIntLiteral, name: "a bigint literal" },
  { is: ts.isObjectLiteralExpression, name: "an object literal" },
  { is: (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node), name: "a function" },
  { is: ts.isClassExpression, name: "a class" },
  { is: ts.isNewExpression, name: "new" },
  { is: ts.isAwaitExpression, name: "await" },
  { is: ts.isYieldExpression, name: "yield" },
  { is: ts.isTypeOfExpression, name: "typeof" },
  { is: ts.isVoidExpression, name: "void" },
  { is: ts.isDeleteExpression, name: "delete" },
  {
    is: (node) =>
      ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isTypeAssertionExpression(node),
    name: "a type assertion",
  },
  { is: ts.isNonNullExpression, name: "the non-null assertion !" },
  { is: ts.isSpreadElement, name: "a spread" },
  { is: ts.isMetaProperty, name: "a meta property" },
  { is: ts.isExpressionWithTypeArguments, name: "a type argument" },
  { is: (node) => node.kind === ts.SyntaxKind.ThisKeyword, name: "this" },
  { is: (node) => node.kind === ts.SyntaxKind.SuperKeyword, name: "super" },
  {
    is: (node) => ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node),
    name: "an arithmetic operator",
  },
];
