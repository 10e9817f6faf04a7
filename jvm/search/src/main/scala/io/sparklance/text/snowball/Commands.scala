package io.sparklance.text.snowball

/** The commands that combine others, and those that change the word. */
private[snowball] object Commands {

  def apply(body: Word => Boolean): Command = new Command {
    def run(word: Word): Boolean = body(word)
  }

  /** A command that always succeeds. */
  def always(body: Word => Unit): Command = new Command {
    def run(word: Word): Boolean = {
      body(word)
      true
    }
  }

  val succeed: Command = always(_ => ())

  /** Runs one command after the other until one fails. */
  def sequence(commands: Array[Command]): Command =
    if (commands.length == 1) commands.head
    else
      new Command {
        def run(word: Word): Boolean = {
          var i = 0
          while (i < commands.length && commands(i).run(word)) i += 1
          i == commands.length
        }
      }

  /** Runs one command after the other, each from where the first began, until one succeeds. */
  def or(direction: CursorDirection, commands: Array[Command]): Command = new Command {
    def run(word: Word): Boolean = {
      val mark = direction.mark(word)
      var i = 0
      var succeeds = false
      while (i < commands.length && !succeeds) {
        if (i > 0) direction.restore(word, mark)
        succeeds = commands(i).run(word)
        i += 1
      }
      succeeds
    }
  }

  /** Runs all commands, each from where the first began. */
  def and(direction: CursorDirection, commands: Array[Command]): Command = new Command {
    def run(word: Word): Boolean = {
      val mark = direction.mark(word)
      var i = 0
      var succeeds = true
      while (i < commands.length && succeeds) {
        if (i > 0) direction.restore(word, mark)
        succeeds = commands(i).run(word)
        i += 1
      }
      succeeds
    }
  }

  def not(direction: CursorDirection, command: Command): Command = new Command {
    def run(word: Word): Boolean = {
      val mark = direction.mark(word)
      !command.run(word) && { direction.restore(word, mark); true }
    }
  }

  /** Succeeds if the command does, without moving. */
  def test(direction: CursorDirection, command: Command): Command = new Command {
    def run(word: Word): Boolean = {
      val mark = direction.mark(word)
      command.run(word) && { direction.restore(word, mark); true }
    }
  }

  /** Moves only if the command succeeds, and always succeeds. */
  def attempt(direction: CursorDirection, command: Command): Command = new Command {
    def run(word: Word): Boolean = {
      val mark = direction.mark(word)
      if (!command.run(word)) direction.restore(word, mark)
      true
    }
  }

  /** Never moves, and always succeeds. */
  def effect(direction: CursorDirection, command: Command): Command = new Command {
    def run(word: Word): Boolean = {
      val mark = direction.mark(word)
      val _ = command.run(word)
      direction.restore(word, mark)
      true
    }
  }

  /** Runs a command `least` times, and then until it fails. */
  def repeat(direction: CursorDirection, least: Word => Int, command: Command): Command = new Command {
    def run(word: Word): Boolean = loop(least, command).run(word) && {
      var mark = direction.mark(word)
      while (command.run(word)) mark = direction.mark(word)
      direction.restore(word, mark)
      true
    }
  }

  def loop(count: Word => Int, command: Command): Command = new Command {
    def run(word: Word): Boolean = {
      var left = count(word)
      while (left > 0 && command.run(word)) left -= 1
      left <= 0
    }
  }

  /** Moves on until the command succeeds.
    *
    * @param passes
    *   whether to stay where the command has moved
    */
  def goto(direction: CursorDirection, command: Command, passes: Boolean): Command = new Command {
    def run(word: Word): Boolean = {
      var mark = direction.mark(word)
      var found = command.run(word)
      var moves = true
      while (!found && moves) {
        direction.restore(word, mark)
        moves = direction.hop(word, 1)
        mark = direction.mark(word)
        if (moves) found = command.run(word)
      }
      if (found && !passes) direction.restore(word, mark)
      found
    }
  }

  /** Runs a command up to the place to which another one moves. */
  def setLimit(direction: CursorDirection, mover: Command, command: Command): Command = new Command {
    def run(word: Word): Boolean = {
      val mark = direction.mark(word)
      mover.run(word) && {
        direction match {
          case CursorDirection.Forward =>
            val beyond = word.limit - word.cursor
            word.limit = word.cursor
            direction.restore(word, mark)
            val succeeds = command.run(word)
            word.limit += beyond
            succeeds
          case CursorDirection.Backward =>
            val outer = word.start
            word.start = word.cursor
            direction.restore(word, mark)
            val succeeds = command.run(word)
            word.start = outer
            succeeds
        }
      }
    }
  }

  /** Runs a backward command from the end. */
  def backwards(command: Command): Command = new Command {
    def run(word: Word): Boolean = {
      word.start = word.cursor
      word.cursor = word.limit
      command.run(word) && { word.cursor = word.start; true }
    }
  }
}
