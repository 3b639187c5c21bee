import { z } from "zod";

/** The rules are those of the operation itself. */
export const validateOptions = z.strictObject({});
