import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { toast } from "../../../components/toast.tsx";
import { download } from "../../../lib/download.ts";
import { messageOf } from "../../../lib/errors.ts";

interface DownloadCsvProps {
  name: string;
  label?: string;
  /** Beside the small buttons of a section. */
  isSmall?: boolean;
  load: () => AsyncIterable<string>;
}

/** A button that saves a whole list as CSV, as the API returns it. */
export function DownloadCsv({ name, label = "Download CSV", isSmall = false, load }: DownloadCsvProps) {
  const save = useMutation({
    mutationFn: async () => {
      const texts: string[] = [];
      for await (const text of load()) texts.push(text);
      download(new Blob(texts, { type: "text/csv" }), name);
    },
    onError: (error) => toast(messageOf(error), "red"),
  });
  return (
    <Button icon={Download} isSmall={isSmall} isBusy={save.isPending} onClick={() => save.mutate()}>
      {label}
    </Button>
  );
}
