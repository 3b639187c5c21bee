import { z } from "zod";

const maxChanges = 100;

/** A JSON pointer (RFC 6901) to a part of a document, not to the whole. */
export const jsonPointer = z
  .string()
  .max(512, "must have at most 512 characters")
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, "must be a JSON pointer such as /order/id");

const changes = z
  .strictObject({
    set: z.record(jsonPointer, z.json()).default({}),
    remove: z.array(jsonPointer).default([]),
    rename: z.record(jsonPointer, jsonPointer).default({}),
  })
  .refine(({ set, remove, rename }) => {
    const count = Object.keys(set).length + remove.length + Object.keys(rename).length;
    return count >= 1 && count <= maxChanges;
  }, `must have 1 to ${maxChanges} changes in "set", "remove" and "rename"`);

export const jsonBodyOptions = z
  .strictObject({
    request: changes.optional().meta({ description: "Changes of the bodies of requests, by JSON pointers." }),
    response: changes.optional().meta({ description: "Changes of the bodies of responses, by JSON pointers." }),
  })
  .refine(
    ({ request, response }) => request !== undefined || response !== undefined,
    'must have "request" or "response"',
  );

export type JsonBodyOptions = z.output<typeof jsonBodyOptions>;
export type JsonChanges = z.output<typeof changes>;
