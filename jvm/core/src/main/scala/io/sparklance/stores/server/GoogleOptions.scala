package io.sparklance.stores.server

/** Options of Google's storage by the reference's names. Access tokens need an interface of Google's
  * connector that differs between its releases, and are refused.
  */
private[server] object GoogleOptions {
  private val File =
    Seq("google_service_account", "google_service_account_path", "service_account", "service_account_path")
  private val Bucket = Seq("google_bucket", "google_bucket_name", "bucket", "bucket_name")

  val known: Map[String, String] = (File ++ Bucket).map(_ -> "").toMap

  def settings(options: Map[String, String]): Map[String, String] =
    File.flatMap(options.get).find(_.nonEmpty).fold(Map.empty[String, String]) { file =>
      Map(
        "fs.gs.auth.type" -> "SERVICE_ACCOUNT_JSON_KEYFILE",
        "fs.gs.auth.service.account.json.keyfile" -> file
      )
    }
}
