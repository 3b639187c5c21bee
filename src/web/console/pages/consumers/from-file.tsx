import { useState } from "react";
import { Checkbox } from "../../../components/field.tsx";
import { useSession } from "../../queries/session.tsx";
import { consumerFile } from "../files/consumer-file.ts";
import { ImportFile } from "../files/import-file.tsx";

export function ConsumersFromFile({ bucket, onClose }: { bucket: string; onClose: () => void }) {
  const { api } = useSession();
  const [withKey, setWithKey] = useState(false);
  return (
    <ImportFile
      kind={consumerFile(api, bucket, withKey)}
      options={
        <Checkbox
          label="Create a first key for each"
          hint="The values can be saved as CSV afterwards."
          checked={withKey}
          onChange={(event) => setWithKey(event.target.checked)}
        />
      }
      onClose={onClose}
    />
  );
}
