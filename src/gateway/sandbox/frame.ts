import { Body } from "../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";

/** JSON followed by the bytes of a body: the length of the JSON in 8 hexadecimal digits, the JSON, the bytes. */
const digits = 8;

export function frame(meta: unknown, bytes?: Uint8Array): Buffer {
  const json = Buffer.from(JSON.stringify(meta));
  const length = Buffer.from(json.length.toString(16).padStart(digits, "0"));
  return Buffer.concat(bytes ? [length, json, bytes] : [length, json]);
}

/** The same with a streamed body. Consumes it. */
export function streamedFrame(meta: unknown, source: Body): Body {
  const target = new FollowingBody(source);
  target.body.push(frame(meta));
  source.consume(target);
  return target.body;
}

interface Frame<Meta> {
  meta: Meta;
  /** The bytes after the JSON, which may still be arriving. */
  bytes: Body;
}

/** Rejects if the response ends before the end of the JSON. */
export function readFrame<Meta>(response: HttpResponse): Promise<Frame<Meta>> {
  const { body } = response;
  const source = body instanceof Body ? body : Body.of(Buffer.from(body ?? ""));
  return new Promise((resolve, reject) => {
    const rest = new FollowingBody(source);
    let head: Buffer | undefined = Buffer.alloc(0);
    source.consume({
      write: (piece) => {
        if (!head) return rest.write(piece);
        head = Buffer.concat([head, piece]);
        const end = digits + Number.parseInt(head.toString("latin1", 0, digits), 16);
        if (head.length < digits || head.length < end) return true;
        const meta = JSON.parse(head.toString("utf8", digits, end)) as Meta;
        const bytes = head.subarray(end);
        head = undefined;
        if (bytes.length > 0) rest.body.push(bytes);
        resolve({ meta, bytes: rest.body });
        return !rest.isPaused;
      },
      end: () => {
        if (head) reject(new Error("the response ended within its head"));
        else rest.end();
      },
      fail: (error) => {
        if (head) reject(error);
        else rest.fail(error);
      },
    });
  });
}

/** Copies a body to another one, with backpressure. */
class FollowingBody {
  readonly body: Body;
  isPaused = false;

  constructor(source: Body) {
    this.body = new Body(undefined, {
      pause: () => {
        this.isPaused = true;
      },
      resume: () => {
        this.isPaused = false;
        source.resume();
      },
      cancel: () => source.cancel(),
    });
  }

  write(piece: Buffer): boolean {
    this.body.push(piece);
    return !this.isPaused;
  }

  end(): void {
    this.body.end();
  }

  fail(error: Error): void {
    this.body.fail(error);
  }
}
