"""Language models that write and choose: always optional, every answer cached, every token counted."""
