import { z } from "zod";

/** What is right is what the operation itself says. */
export const validateOptions = z.strictObject({});
