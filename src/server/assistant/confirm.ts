import type { ToolRequest } from "../../core/mcp/tools/tool-request.ts";
import type { InputRequired, ToolCall } from "../../core/mcp/types.ts";
import { isJsonObject, type JsonObject } from "../../lib/text/json-object.ts";

const question = "confirm";
/** A person reads it. */
const longestMessage = 8000;

/** Asks the person to confirm a request. Returns undefined if it is too long to be read. */
export function confirmationOf(title: string, request: ToolRequest, requestState: string): InputRequired | undefined {
  const message = messageOf(title, request);
  if (message.length > longestMessage) return undefined;
  return {
    inputRequests: {
      [question]: {
        method: "elicitation/create",
        params: {
          mode: "form",
          message,
          requestedSchema: {
            type: "object",
            // Without a default: a client that accepts with the defaults of a form confirms nothing.
            properties: { confirm: { type: "boolean", title: "Do this" } },
            required: ["confirm"],
          },
        },
      },
    },
    requestState,
  };
}

/** Whether the person confirmed. Undefined if there is no response to the question. */
export function decisionOf({ inputResponses }: Pick<ToolCall, "inputResponses">): boolean | undefined {
  const response = inputResponses?.[question];
  if (!isJsonObject(response)) return undefined;
  return response.action === "accept" && isJsonObject(response.content) && response.content.confirm === true;
}

/** The request as it will be sent, so that nothing is hidden from the person. */
function messageOf(title: string, { method, path, query, body }: ToolRequest): string {
  const target = query === "" ? path : `${path}?${query}`;
  const content = body && JSON.stringify(JSON.parse(body.toString()) as JsonObject, undefined, 2);
  return [title, "", `${method} ${target}`, ...(content === undefined ? [] : [visible(content)])].join("\n");
}

/** Shows characters that are invisible or change the order of others as their code points. */
function visible(text: string): string {
  return text.replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
}
