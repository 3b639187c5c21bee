import { z } from "zod";

/** Whom a limit counts. */
export const subjectKind = z.enum(["consumer", "key", "ip"]).default("consumer").meta({
  description: "What is counted separately. A request without a consumer or key is counted by its address.",
});

export type SubjectKind = z.output<typeof subjectKind>;
