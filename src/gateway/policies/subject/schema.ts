import { z } from "zod";

/** The subject of a limit. */
export const subjectKind = z.enum(["consumer", "key", "ip"]).default("consumer").meta({
  description: "What is counted separately. A request without a consumer or key is counted by its address.",
});

export type SubjectKind = z.output<typeof subjectKind>;
