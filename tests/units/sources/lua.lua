local M = {}
local count = 0

--- Adds one.
-- @param x a number
function M.add(x)
  local function inner(y)
    return y
  end
  return inner(x) + 1
end

-- A method.
function M:reset()
  self.count = 0
end

function M.deep.path.run()
  return 1
end

local function helper(a, ...)
  return a
end

function global_one() return 1 end

M.assigned = function(x)
  return x
end

local callback = function()
  return 2
end

global_two = function() end

local Class = {
  name = 'x',
  method = function(self)
    return self.name
  end,
  nested = {
    leaf = function() end,
  },
}

M.table = {
  entry = function() return 1 end,
}

table.sort(M, function(a, b)
  return a < b
end)

--[[ The
last. ]]
function M.last() end

return M
