import { causeOf, explainRequest } from "../../client/explain-request.ts";
import { shownKey } from "./format.ts";

type Explained = Parameters<typeof explainRequest>[0];

/** Why a request had its outcome: `Key disabled`, the details as a sentence, and that sentence after the status. */
export function reasonOf(request: Explained): { cause: string; details: string; sentence: string } {
  const decisions = request.decisions.map((decision) => {
    const { detail } = decision;
    const { maskedKey } = detail ?? {};
    return maskedKey === undefined ? decision : { ...decision, detail: { ...detail!, maskedKey: shownKey(maskedKey) } };
  });
  const sentence = explainRequest({ ...request, decisions });
  const details = sentence.replace(/^\d+: (.)/, (_, first: string) => first.toUpperCase());
  return { cause: causeOf(request), details, sentence };
}
