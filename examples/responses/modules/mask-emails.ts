import type { OnResponse, Policy } from "tollgate/gateway";

const pass: Policy = () => {};

export default pass;

const email = /[\w.+-]+@[\w-]+\.[\w.-]*\w/g;
/** Longer addresses are cut by no piece of the stream. */
const maxEmailLength = 320;

/** Masks email addresses in text of any size: it never holds more than a piece of it. */
export const onResponse: OnResponse = (response) => {
  if (!response.body || !/^text\/|json/.test(response.headers.get("content-type") ?? "")) return;
  let held = "";
  const mask = new TransformStream<string, string>({
    transform(piece, controller) {
      const text = held + piece;
      // An address may continue in the next piece: what has no blank after it is held back.
      const cut = Math.max(text.search(/\S*$/), text.length - maxEmailLength);
      held = text.slice(cut);
      controller.enqueue(text.slice(0, cut).replace(email, "***"));
    },
    flush(controller) {
      controller.enqueue(held.replace(email, "***"));
    },
  });
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(mask)
    .pipeThrough(new TextEncoderStream());
  return new Response(body, response);
};
