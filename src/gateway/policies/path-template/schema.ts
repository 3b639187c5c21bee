import { z } from "zod";

const placeholder = /\{([^{}]+)\}/g;

/** The names of the parameters in a text such as `/orders/{id}`. */
export function parametersIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name]) => name!);
}

/** A text with `{name}` for parameters of the route's path. Other braces are errors. */
export const templateText = z
  .string()
  .max(4096, "must have at most 4096 characters")
  .refine(
    (text) => !/[{}]/.test(text.replace(placeholder, "")),
    "must have braces only around the name of a parameter, such as {id}",
  );

const pathCharacters = /^\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/{}]*$/;

/** A path that may contain parameters. */
export const pathTemplate = templateText
  .refine((text) => text.startsWith("/"), "must begin with /")
  .refine(
    (text) => pathCharacters.test(text.replace(placeholder, "{}")),
    "must have only characters of a path: percent-encode the others, and no query",
  )
  .refine(
    (text) => !/\/(?:\.|%2e){1,2}(?=\/|$)/i.test(text) && !text.includes("//"),
    "must have no dot segments and no empty segments",
  );
