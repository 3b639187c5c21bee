import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { Terminal } from "lucide-react";
import { type ComponentProps, useEffect, useState } from "react";
import { Tollgate } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { copyWithToast, TitledCode } from "../../components/copy.tsx";
import { Dialog, FormDialog } from "../../components/dialog.tsx";
import { Menu } from "../../components/menu.tsx";
import { toast } from "../../components/toasts.ts";
import { fieldErrors } from "../../lib/errors.ts";
import { type CurlRequest, curl, shellWord } from "../../lib/shell.ts";
import { useSession } from "../queries/session.tsx";

/** A call of the client, which is sent, or shown as a request and as a command. */
export type Call<Value = void, Result = unknown> = (api: Tollgate, value: Value) => Promise<Result>;

interface Same {
  call: Call;
  /** What the table of commands cannot say, because the command does more than the call. */
  command?: string;
  /** A file that the first request of the call is about. */
  uploads?: string;
}

interface CallOptions<Result, Value> extends Omit<UseMutationOptions<Result, Error, Value>, "mutationFn"> {
  call: Call<Value, Result>;
  /** The text of a toast after a success. */
  done?: string | ((result: Result, value: Value) => string);
}

/** A mutation whose call can be shown: `<CopyAs of={save} />`. `errors` are those of fields, by JSON pointer. */
export function useCall<Result, Value = void>({ call, done, onSuccess, ...options }: CallOptions<Result, Value>) {
  const { api } = useSession();
  const mutation = useMutation({
    ...options,
    mutationFn: (value: Value) => call(api, value),
    onSuccess: (...success) => {
      if (done !== undefined) toast(typeof done === "string" ? done : done(success[0], success[1]));
      return onSuccess?.(...success);
    },
  });
  return { ...mutation, call, errors: fieldErrors(mutation.error) };
}

type CallDialogProps = Omit<ComponentProps<typeof FormDialog>, "mutation" | "footStart" | "onSubmit"> & {
  of: { isPending: boolean; error: unknown; mutate: () => void; call: Call };
  /** By default the call is sent. */
  onSubmit?: () => void;
};

/** A form that sends a call, which it also shows as a request and as a command. */
export function CallDialog({ of, onSubmit = of.mutate, ...dialog }: CallDialogProps) {
  return <FormDialog {...dialog} mutation={of} onSubmit={onSubmit} footStart={<CopyAs of={of} />} />;
}

/** Asks before a call, which it also shows as a request and as a command. */
export function ConfirmCall({
  call,
  command,
  ...rest
}: Same & Omit<ComponentProps<typeof Confirm>, "run" | "footStart">) {
  const { api } = useSession();
  return <Confirm {...rest} run={() => call(api)} footStart={<CopyAs call={call} command={command} />} />;
}

type Recorded = CurlRequest & { method: string };

/** The request that a call would send first. Undefined if it would send none. Nothing is sent. */
async function requestOf(call: Call, account: string): Promise<Recorded | undefined> {
  let request: Recorded | undefined;
  const record = (address: string, { method = "GET", body, headers }: RequestInit) => {
    const { pathname, search } = new URL(address);
    const { accept } = headers as Record<string, string>;
    request ??= {
      method,
      path: pathname + search,
      ...(accept && { accept }),
      ...(body && { body: JSON.parse(`${body}`) }),
    };
    return Promise.reject(new Error("Recorded."));
  };
  await Promise.resolve()
    .then(() => call(new Tollgate({ url: "/", account, retries: 0, fetch: record })))
    .catch(() => {});
  return request;
}

/** A call as a request and as a command; undefined until it is known, and if it would send nothing. */
function useShown<Value = void>(
  call: Call<Value>,
  value: Value,
  { command, uploads }: Omit<Same, "call"> = {},
): { request: CurlRequest; command?: string } | undefined {
  const { account, accounts } = useSession();
  const [text, setText] = useState<string>();
  // With each rendering of the form: a call depends on its fields.
  useEffect(() => {
    let isCurrent = true;
    const recorded = requestOf((api) => call(api, value), account);
    void Promise.all([recorded, import("./command-of.ts")]).then(([request, { commandOf }]) => {
      if (!isCurrent) return;
      if (!request) return setText(undefined);
      const named = command ?? commandOf(request);
      // Only the operator's requests must name the account.
      const path = accounts ? request.path : request.path.replace(/[?&]accountName=[^&]*$/, "");
      const inAccount = named && (accounts ? `${named} --account ${shellWord(account)}` : named);
      setText(JSON.stringify({ request: { ...request, path, uploads }, command: inAccount }));
    });
    return () => {
      isCurrent = false;
    };
  }, [call, value, command, uploads, account, accounts]);
  return text === undefined ? undefined : JSON.parse(text);
}

/** In the footer of a dialog: the action of its button as a request and as a command, with the values of the form. */
export function CopyAs<Value = void>(props: Same | { of: { call: Call<Value> }; value?: Value }) {
  const [call, value, more] = "of" in props ? [props.of.call, props.value, {}] : [props.call, undefined, props];
  const shown = useShown(call as Call<unknown>, value, more);
  return (
    <Menu
      trigger={
        <Button icon={Terminal} kind="quiet" title="Copy as curl or command">
          <span className="word-if-wide">Copy as…</span>
        </Button>
      }
      actions={[
        {
          label: "Copy as curl",
          isHidden: shown === undefined,
          onSelect: () => copyWithToast(curl(window.location.origin, shown!.request), "curl"),
        },
        {
          label: "Copy as command",
          isHidden: shown?.command === undefined,
          onSelect: () => copyWithToast(shown!.command!, "Command"),
        },
      ]}
    />
  );
}

/** A call as a request and as a command. `more` contains those of neighbouring buttons that have no dialog. */
export function AsCommand({ more = [], ...same }: Same & { more?: (Same & { title: string })[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="as-command">
      <Button icon={Terminal} kind="quiet" title="The same from a terminal" onClick={() => setOpen(true)}>
        <span className="word-if-wide">As command</span>
      </Button>
      {isOpen && (
        <Dialog title="The same from a terminal" isWide onClose={() => setOpen(false)}>
          <Commands {...same} />
          {more.map((each) => (
            <Commands key={each.title} {...each} />
          ))}
        </Dialog>
      )}
    </span>
  );
}

function Commands({ title, call, ...same }: Same & { title?: string }) {
  const shown = useShown(call, undefined, same);
  if (!shown) return null;
  return (
    <>
      <TitledCode title={title ? `${title}: curl` : "curl"} text={curl(window.location.origin, shown.request)} />
      {shown.command && <TitledCode title={title ? `${title}: command line` : "Command line"} text={shown.command} />}
    </>
  );
}
