import { z } from "zod";

/** No options: the rules come from the operation. */
export const validateOptions = z.strictObject({});
