import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Subscription } from "../../../../client/index.ts";
import { SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { bindInput } from "../../../lib/form-fields.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";

interface Props {
  bucket: string;
  subscription: Subscription;
  onClose: () => void;
}

/** Sends a usage event as a program would. The event is counted. */
export function TestEvent({ bucket, subscription, onClose }: Props) {
  const { api } = useSession();
  const usage = useQuery({
    queryKey: ["usage", bucket, subscription.id, undefined],
    queryFn: ({ signal }) => api.usage(bucket, subscription.id).get({ signal }),
  });
  const meters = Object.keys(usage.data?.meters ?? {});
  const [chosen, setMeter] = useState<string>();
  const [amount, setAmount] = useState("1");
  const meter = chosen ?? meters[0] ?? "";
  const [id] = useState(() => crypto.getRandomValues(new Uint32Array(4)).join("-"));
  const event = {
    specversion: "1.0" as const,
    id,
    source: "console",
    type: "test",
    subject: subscription.customerKey,
    data: { [meter]: Number(amount) },
  };
  const send = useCall({
    call: async (api) => {
      const { rejected } = await api.events(bucket).send([event]);
      if (rejected[0]) throw new Error(rejected[0].detail);
    },
    onSuccess: () => {
      toast("Event counted");
      onClose();
    },
  });
  return (
    <FormDialog
      title="Send test event"
      mutation={send}
      submit="Send event"
      disabled={meter === ""}
      onClose={onClose}
      footStart={<CopyAs of={send} />}
    >
      <Notice>The event is counted like any other and cannot be taken back.</Notice>
      <div className="form-grid">
        <SelectField
          label="Meter"
          options={meters.map((value) => ({ value, label: usage.data?.meters[value]?.label ?? value }))}
          {...bindInput(meter, setMeter)}
        />
        <TextField label="Amount" inputMode="decimal" {...bindInput(amount, setAmount)} />
      </div>
    </FormDialog>
  );
}
