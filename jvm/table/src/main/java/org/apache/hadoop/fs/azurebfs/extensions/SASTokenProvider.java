package org.apache.hadoop.fs.azurebfs.extensions;

import java.io.IOException;

import org.apache.hadoop.conf.Configuration;

/** The methods of hadoop-azure's interface that our class implements. Only the compiler sees this file: the jar has no
 * classes but ours, and where the store is Azure, hadoop-azure is on the class path.
 */
public interface SASTokenProvider {
  void initialize(Configuration conf, String account) throws IOException;

  String getSASToken(String account, String fileSystem, String path, String operation) throws IOException;
}
